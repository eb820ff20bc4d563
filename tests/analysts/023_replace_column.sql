-- asked: All columns, with one of them changed
-- source: DuckDB guide, replace
-- order: file
SELECT * REPLACE (upper(carrier) || ' air' AS carrier) FROM 'airlines.csv';
