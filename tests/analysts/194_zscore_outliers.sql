-- asked: Values more than two deviations away
-- source: SQL for data scientists, outliers
WITH s AS (SELECT *, avg(duration_ms) OVER () AS m, stddev(duration_ms) OVER () AS sd FROM 'requests.csv')
SELECT ts, path, duration_ms, (duration_ms - m) / sd AS z
FROM s
WHERE abs((duration_ms - m) / sd) > 1.6
ORDER BY z DESC, ts, path;
