-- asked: The last order of each customer
-- source: PostgreSQL forum, distinct on
SELECT DISTINCT ON (customer_id) customer_id, order_id, order_date
FROM 'orders.csv'
ORDER BY customer_id, order_date DESC, order_id DESC;
