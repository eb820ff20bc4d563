-- asked: Which file does a row come from
-- source: DuckDB docs, filename
SELECT parse_filename(filename) AS file, count(*) AS n FROM read_csv('sales_2023_*.csv', filename = true) GROUP BY file ORDER BY file;
