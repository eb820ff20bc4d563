-- asked: How many different pairs of origin and destination
-- source: Stack Overflow, count distinct on two columns
SELECT count(DISTINCT (origin, dest)) AS routes FROM 'flights.csv';
