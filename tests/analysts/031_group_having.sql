-- asked: Customers with more than six orders
-- source: SQL tutorial, having
SELECT customer_id, COUNT(*) AS orders, SUM(amount) AS total
FROM 'orders.csv'
GROUP BY customer_id
HAVING COUNT(*) > 6
ORDER BY total DESC;
