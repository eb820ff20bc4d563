-- asked: Sort by salary, the highest first, then by name
-- source: SQL tutorial, order by
SELECT name, salary FROM 'employees.csv' ORDER BY salary DESC NULLS LAST, name, id LIMIT 10;
