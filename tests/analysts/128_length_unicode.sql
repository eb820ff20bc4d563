-- asked: Lengths in letters and in bytes
-- source: DuckDB docs, text functions
SELECT DISTINCT city, length(city) AS letters, strlen(city) AS bytes FROM 'customers.csv' ORDER BY city;
