-- asked: Which columns and types has a file
-- source: DuckDB guide, describe
-- compare: columns column_name
DESCRIBE SELECT * FROM 'orders.csv';
