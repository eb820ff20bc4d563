-- asked: Departure times like 1745 as minutes after midnight
-- source: R for data science, exercises
SELECT flight, dep_time, dep_time // 100 * 60 + dep_time % 100 AS minutes
FROM 'flights.csv'
WHERE dep_time IS NOT NULL AND month = 2
ORDER BY flight;
