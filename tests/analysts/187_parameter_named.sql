-- asked: Orders of a state that is given later
-- source: DuckDB docs, prepared statements
-- parameters: status='pending', least=100
SELECT order_id, amount FROM 'orders.csv' WHERE status = $status AND amount >= $least ORDER BY order_id;
