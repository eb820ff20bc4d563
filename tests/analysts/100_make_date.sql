-- asked: Put year, month and day together
-- source: R lubridate, make_date as SQL
SELECT make_date(year, month, day) AS day, count(*) AS flights
FROM 'flights.csv'
GROUP BY 1
HAVING count(*) > 1
ORDER BY flights DESC, day
LIMIT 10;
