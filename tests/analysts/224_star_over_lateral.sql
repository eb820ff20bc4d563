-- asked: Each department with its best paid person
-- source: PostgreSQL tutorial, lateral
SELECT d.*, t.* FROM 'departments.csv' d
LEFT JOIN LATERAL (SELECT name AS best, salary FROM 'employees.csv' e WHERE e.department_id = d.id ORDER BY salary DESC, id LIMIT 1) t ON true
ORDER BY d.id;
