-- asked: Flights whose destination is unknown, by an anti join
-- source: DuckDB docs, semi and anti joins
SELECT f.month, f.day, f.flight FROM 'flights.csv' f ANTI JOIN 'airports.csv' a ON f.dest = a.faa ORDER BY ALL;
