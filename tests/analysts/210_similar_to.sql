-- asked: Names by a pattern of SQL
-- source: PostgreSQL tutorial, SIMILAR TO
SELECT name FROM 'employees.csv' WHERE name SIMILAR TO '(Ana|Uma) .*' ORDER BY id;
