-- asked: Who earns more than all others of the department
-- source: PostgreSQL tutorial, ALL
SELECT e.name FROM 'employees.csv' e
WHERE salary > ALL (SELECT salary FROM 'employees.csv' x WHERE x.department_id = e.department_id AND x.id <> e.id)
ORDER BY e.id;
