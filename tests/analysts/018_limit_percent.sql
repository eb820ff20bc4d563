-- asked: The top five percent of the orders
-- source: DuckDB docs, limit
SELECT order_id, amount FROM 'orders.csv' ORDER BY amount DESC, order_id LIMIT 5%;
