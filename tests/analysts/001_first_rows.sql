-- asked: I want to see the first rows of a file
-- source: DuckDB guide, CSV import
-- order: file
SELECT * FROM 'penguins.csv' LIMIT 5;
