-- asked: Times of New York in UTC
-- source: DuckDB docs, at time zone
SELECT flight, time_hour, (time_hour AT TIME ZONE 'America/New_York') AT TIME ZONE 'UTC' AS utc
FROM 'flights.csv'
WHERE month = 7
ORDER BY time_hour, flight;
