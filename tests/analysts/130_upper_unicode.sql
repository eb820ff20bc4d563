-- asked: Capital letters of names from anywhere
-- source: SQLite forum, upper of unicode
SELECT DISTINCT upper(city) AS city FROM 'customers.csv' ORDER BY 1;
