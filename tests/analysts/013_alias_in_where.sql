-- asked: Use an alias in the where clause
-- source: DuckDB guide, friendly SQL (reusable aliases)
SELECT order_id, product_id, quantity * unit_price * (1 - discount) AS net
FROM 'order_items.csv'
WHERE net > 500
ORDER BY net DESC, order_id, product_id;
