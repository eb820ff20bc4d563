-- asked: How many different customers ordered each month
-- source: Mode SQL tutorial, count distinct
SELECT year(order_date) AS y, month(order_date) AS m, COUNT(DISTINCT customer_id) AS customers
FROM 'orders.csv'
GROUP BY y, m
ORDER BY y, m;
