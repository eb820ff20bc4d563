-- asked: Pairs of flights of one day that leave within ten minutes
-- source: Stack Overflow, join on inequality
SELECT a.flight AS flight_a, b.flight AS flight_b, a.time_hour
FROM 'flights.csv' a
JOIN 'flights.csv' b ON a.time_hour <= b.time_hour AND b.time_hour < a.time_hour + INTERVAL 2 HOUR AND a.flight < b.flight
ORDER BY 1, 2;
