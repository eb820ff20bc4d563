-- asked: Number of orders of each customer by a subquery
-- source: SQL tutorial, correlated subquery
SELECT c.customer_id, c.name,
       (SELECT COUNT(*) FROM 'orders.csv' o WHERE o.customer_id = c.customer_id) AS orders
FROM 'customers.csv' c
ORDER BY orders DESC, c.customer_id
LIMIT 10;
