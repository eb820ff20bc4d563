-- asked: Show the rows without a salary first
-- source: PostgreSQL forum, nulls first
SELECT id, name, salary FROM 'employees.csv' ORDER BY salary NULLS FIRST, id LIMIT 12;
