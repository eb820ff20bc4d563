-- asked: All columns, one under another name
-- source: DuckDB docs, star expression
-- order: file
SELECT * RENAME (faa AS code) FROM 'airports.csv' LIMIT 4;
