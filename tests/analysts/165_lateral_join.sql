-- asked: The two best orders of each customer by a lateral join
-- source: PostgreSQL forum, lateral
SELECT c.name, o.order_id, o.amount
FROM 'customers.csv' c,
     LATERAL (SELECT order_id, amount FROM 'orders.csv' WHERE customer_id = c.customer_id ORDER BY amount DESC LIMIT 2) o
WHERE c.country = 'DE'
ORDER BY c.customer_id, o.amount DESC;
