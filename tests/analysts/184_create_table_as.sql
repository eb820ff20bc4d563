-- asked: Keep an answer as a table
-- source: DuckDB guide, create table as
-- then: SELECT * FROM '${OUT}/delivered.presso' ORDER BY order_id
CREATE TABLE '${OUT}/delivered.presso' AS
SELECT order_id, customer_id, amount FROM 'orders.csv' WHERE status = 'delivered';
