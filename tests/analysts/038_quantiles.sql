-- asked: The 5, 50 and 95 percent points of the response time
-- source: DuckDB docs, quantile_cont
SELECT quantile_cont(duration_ms, 0.05) AS p05,
       quantile_cont(duration_ms, 0.5) AS p50,
       quantile_cont(duration_ms, 0.95) AS p95
FROM 'requests.csv';
