-- asked: Read a CSV through the reader function
-- source: DuckDB docs, CSV
-- order: file
SELECT * FROM read_csv('airports.csv') LIMIT 3;
