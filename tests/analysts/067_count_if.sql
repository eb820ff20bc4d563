-- asked: How many answers were errors
-- source: DuckDB docs, count_if
SELECT path, count_if(status >= 500) AS errors, count(*) AS total FROM 'requests.csv' GROUP BY path ORDER BY path;
