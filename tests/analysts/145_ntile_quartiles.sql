-- asked: Customers in four groups by revenue
-- source: Mode SQL tutorial, ntile
SELECT customer_id, total, NTILE(4) OVER (ORDER BY total DESC, customer_id) AS quartile
FROM (SELECT customer_id, SUM(amount) AS total FROM 'orders.csv' GROUP BY customer_id)
ORDER BY quartile, total DESC, customer_id;
