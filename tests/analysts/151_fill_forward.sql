-- asked: Carry the last value forward over nulls
-- source: pandas, ffill as SQL
SELECT sensor_id, ts, temperature,
       last_value(temperature IGNORE NULLS) OVER (PARTITION BY sensor_id ORDER BY ts) AS filled
FROM 'sensors.csv'
ORDER BY sensor_id, ts
LIMIT 60;
