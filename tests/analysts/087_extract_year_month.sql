-- asked: Year and month by extract
-- source: PostgreSQL tutorial, extract
SELECT EXTRACT(YEAR FROM hire_date) AS y, EXTRACT(QUARTER FROM hire_date) AS q, COUNT(*) AS hired
FROM 'employees.csv'
GROUP BY y, q
ORDER BY y, q;
