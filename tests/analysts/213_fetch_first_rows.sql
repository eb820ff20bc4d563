-- asked: The first three names
-- source: SQL standard, FETCH FIRST
SELECT name FROM 'departments.csv' ORDER BY name FETCH FIRST 3 ROWS ONLY;
