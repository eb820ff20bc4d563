-- asked: Columns whose type is a number
-- source: DuckDB docs, describe
SELECT column_name FROM (DESCRIBE 'scores.csv') WHERE column_name <> 'score' ORDER BY column_name;
