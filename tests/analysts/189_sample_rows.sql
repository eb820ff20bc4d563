-- asked: Ten rows taken at random
-- source: DuckDB docs, sample
-- compare: number of rows
SELECT * FROM 'flights.csv' USING SAMPLE 10 ROWS;
