-- asked: Which names are nearly the same
-- source: DuckDB docs, levenshtein
SELECT DISTINCT a.name AS a, b.name AS b
FROM 'employees.csv' a JOIN 'customers.csv' b ON levenshtein(a.name, b.name) <= 2
ORDER BY a, b;
