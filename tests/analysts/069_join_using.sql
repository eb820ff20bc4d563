-- asked: Flights with the airline's name
-- source: R for data science, left_join
SELECT month, day, flight, carrier, name
FROM 'flights.csv' JOIN 'airlines.csv' USING (carrier)
WHERE month = 1
ORDER BY day, flight;
