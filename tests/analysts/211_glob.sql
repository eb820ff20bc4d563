-- asked: Names that begin with K
-- source: SQLite tutorial, GLOB
SELECT name FROM 'employees.csv' WHERE name GLOB 'K[a-w]*' ORDER BY id;
