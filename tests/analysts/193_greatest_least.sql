-- asked: Clip delays to a range
-- source: pandas, clip as SQL
-- order: file
SELECT flight, dep_delay, greatest(least(dep_delay, 60), 0) AS clipped FROM 'flights.csv' LIMIT 10;
