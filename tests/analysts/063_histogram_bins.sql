-- asked: A histogram of the departure delay in bins of 30 minutes
-- source: Stack Overflow, histogram in SQL
SELECT floor(dep_delay / 30) * 30 AS bin, count(*) AS n
FROM 'flights.csv'
WHERE dep_delay IS NOT NULL
GROUP BY bin
ORDER BY bin;
