-- asked: All files of a year at once
-- source: DuckDB docs, multiple files
SELECT store, count(*) AS n, sum(amount) AS total FROM 'sales_2023_*.csv' GROUP BY store ORDER BY store;
