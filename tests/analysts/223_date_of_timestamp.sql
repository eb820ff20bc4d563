-- asked: Requests of each day
-- source: MySQL tutorial, date()
SELECT date(ts) AS day, count(*) AS n FROM 'requests.csv' GROUP BY day ORDER BY day;
