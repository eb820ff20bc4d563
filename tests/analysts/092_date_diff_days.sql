-- asked: Days between order and shipping
-- source: DuckDB docs, date_diff
SELECT order_id, date_diff('day', order_date, shipped_date) AS days
FROM 'orders.csv'
WHERE shipped_date IS NOT NULL
ORDER BY days DESC, order_id
LIMIT 10;
