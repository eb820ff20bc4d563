-- asked: The 90th percentile in standard SQL
-- source: PostgreSQL tutorial, percentile_cont
SELECT path, percentile_cont(0.9) WITHIN GROUP (ORDER BY duration_ms) AS p90
FROM 'requests.csv'
GROUP BY path
ORDER BY path;
