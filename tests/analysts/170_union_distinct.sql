-- asked: All cities of customers and departments
-- source: SQL tutorial, union
SELECT city FROM 'customers.csv' UNION SELECT location FROM 'departments.csv' WHERE location IS NOT NULL ORDER BY 1;
