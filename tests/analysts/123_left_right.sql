-- asked: The first three and last two letters
-- source: SQL Server tutorial, left and right
SELECT DISTINCT left(city, 3) AS a, right(city, 2) AS b FROM 'customers.csv' ORDER BY a, b;
