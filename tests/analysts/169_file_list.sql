-- asked: A list of files
-- source: DuckDB docs, multiple files
SELECT min(day) AS first_day, max(day) AS last_day FROM read_csv(['sales_2023_01.csv', 'sales_2023_03.csv']);
