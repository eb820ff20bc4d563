-- asked: Take any name of an id
-- source: DuckDB docs, any_value
SELECT department_id, any_value(location) AS location, count(*) AS staff
FROM 'employees.csv' e JOIN 'departments.csv' d ON e.department_id = d.id
GROUP BY department_id
ORDER BY department_id;
