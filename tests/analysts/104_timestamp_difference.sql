-- asked: Seconds between two readings
-- source: Stack Overflow, difference of timestamps in seconds
SELECT sensor_id, ts, date_diff('second', lag(ts) OVER (PARTITION BY sensor_id ORDER BY ts), ts) AS gap
FROM 'sensors.csv'
ORDER BY sensor_id, ts
LIMIT 25;
