-- asked: Life expectancy in two years side by side
-- source: SQL Server tutorial, PIVOT
SELECT * FROM 'gapminder.csv' PIVOT (avg(lifeExp) FOR year IN (1952, 2007) GROUP BY continent) ORDER BY continent;
