-- asked: The greatest value of each measured column
-- source: DuckDB docs, columns()
SELECT MAX(COLUMNS('.*_mm')) FROM 'penguins.csv';
