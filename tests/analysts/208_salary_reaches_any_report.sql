-- asked: Managers who earn no less than one of their reports
-- source: PostgreSQL tutorial, ANY
SELECT e.name FROM 'employees.csv' e
WHERE salary >= ANY (SELECT salary FROM 'employees.csv' x WHERE x.manager_id = e.id)
ORDER BY e.id;
