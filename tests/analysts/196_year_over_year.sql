-- asked: Growth of population against five years before
-- source: Stack Overflow, year over year
SELECT country, year, pop, round(100.0 * (pop - lag(pop) OVER w) / lag(pop) OVER w, 2) AS growth_pct
FROM 'gapminder.csv'
WHERE continent = 'Africa'
WINDOW w AS (PARTITION BY country ORDER BY year)
ORDER BY country, year
LIMIT 30;
