-- asked: Subtotals for country and city and a grand total
-- source: SQL Server tutorial, rollup
SELECT country, city, count(*) AS customers
FROM 'customers.csv'
GROUP BY ROLLUP (country, city)
ORDER BY country NULLS LAST, city NULLS LAST;
