-- asked: Collect the destinations of each origin as a list
-- source: DuckDB docs, list
SELECT origin, list(DISTINCT dest ORDER BY dest) AS dests FROM 'flights.csv' GROUP BY origin ORDER BY origin;
