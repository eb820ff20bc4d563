-- asked: Several quantiles at once
-- source: DuckDB docs, quantile_disc
SELECT origin, quantile_disc(dep_delay, [0.25, 0.5, 0.75]) AS quartiles
FROM 'flights.csv' GROUP BY origin ORDER BY origin;
