-- asked: Read a CSV and name delimiter and header by hand
-- source: DuckDB docs, CSV options
-- order: file
SELECT day, city, tmax
FROM read_csv('weather.tsv', delim = '\t', header = true)
WHERE city = 'Bergen'
LIMIT 4;
