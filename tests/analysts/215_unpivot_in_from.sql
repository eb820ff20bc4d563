-- asked: Columns as rows
-- source: SQL Server tutorial, UNPIVOT
SELECT * FROM (SELECT name, id, salary FROM 'employees.csv' WHERE id < 6) UNPIVOT (amount FOR what IN (id, salary)) ORDER BY name, what;
