-- asked: Orders for each month
-- source: Stack Overflow, group by month
SELECT date_trunc('month', order_date) AS month, count(*) AS orders, sum(amount) AS revenue
FROM 'orders.csv'
GROUP BY date_trunc('month', order_date)
ORDER BY month;
