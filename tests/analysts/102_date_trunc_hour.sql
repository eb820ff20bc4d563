-- asked: Requests of each hour
-- source: DuckDB docs, date_trunc
SELECT date_trunc('hour', ts) AS hour, count(*) AS requests, avg(duration_ms) AS mean_ms
FROM 'requests.csv'
GROUP BY hour
ORDER BY hour;
