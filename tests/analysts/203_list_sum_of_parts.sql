-- asked: The sum of numbers in a text
-- source: Advent of Code in SQL
SELECT sensor_id, list_sum([x::int * 2 for x in string_split('1,2,3', ',') if x <> '2']) AS total
FROM 'sensors.csv' GROUP BY sensor_id ORDER BY sensor_id;
