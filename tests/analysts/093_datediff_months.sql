-- asked: Months of employment at a given day
-- source: Stack Overflow, months between dates
SELECT name, hire_date, datediff('month', hire_date, DATE '2024-06-30') AS months
FROM 'employees.csv'
ORDER BY hire_date, id
LIMIT 10;
