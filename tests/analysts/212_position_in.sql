-- asked: Where the blank is
-- source: SQL standard, POSITION
SELECT name, position(' ' IN name) AS blank FROM 'employees.csv' ORDER BY id LIMIT 10;
