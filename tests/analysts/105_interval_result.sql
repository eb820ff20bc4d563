-- asked: How long did each sensor measure
-- source: DuckDB docs, interval
SELECT sensor_id, max(ts) - min(ts) AS duration FROM 'sensors.csv' GROUP BY sensor_id ORDER BY sensor_id;
