-- asked: Group by everything that is not aggregated
-- source: DuckDB guide, group by all
SELECT continent, year, count(*) AS countries, avg(lifeExp) AS life
FROM 'gapminder.csv'
WHERE year >= 1997
GROUP BY ALL
ORDER BY ALL;
