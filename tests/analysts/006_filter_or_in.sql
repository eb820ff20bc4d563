-- asked: Flights to one of several airports that left late
-- source: R for data science, filter
SELECT month, day, carrier, flight, dest, dep_delay
FROM 'flights.csv'
WHERE dest IN ('SFO', 'LAX', 'HNL') AND (dep_delay > 120 OR arr_delay > 120)
ORDER BY month, day, flight;
