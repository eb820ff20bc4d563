-- asked: Flights between two places
-- source: SQLite, bound parameters
-- parameters: 'JFK','LAX'
SELECT count(*) AS n, avg(air_time) AS air_time FROM 'flights.csv' WHERE origin = ? AND dest = ?;
