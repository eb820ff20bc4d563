-- asked: Means over 15 minutes
-- source: DuckDB docs, time_bucket
SELECT time_bucket(INTERVAL '15 minutes', ts) AS bucket, sensor_id, avg(temperature) AS temp, count(*) AS n
FROM 'sensors.csv'
GROUP BY bucket, sensor_id
ORDER BY bucket, sensor_id;
