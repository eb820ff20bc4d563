-- asked: Which country lived longest in each year
-- source: DuckDB docs, arg_max
SELECT year, arg_max(country, lifeExp) AS country, max(lifeExp) AS life
FROM 'gapminder.csv'
GROUP BY year
ORDER BY year;
