-- asked: Employees of departments outside Berlin
-- source: SQL tutorial, not in
SELECT name FROM 'employees.csv'
WHERE department_id NOT IN (SELECT id FROM 'departments.csv' WHERE location = 'Berlin')
ORDER BY name, id;
