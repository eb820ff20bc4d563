-- asked: Mean growth factor
-- source: Stack Overflow, product of values
SELECT country, exp(avg(ln(gdpPercap))) AS geo_mean FROM 'gapminder.csv' GROUP BY country ORDER BY country LIMIT 5;
