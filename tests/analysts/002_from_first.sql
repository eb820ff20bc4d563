-- asked: Show a file without typing select
-- source: DuckDB guide, friendly SQL
-- order: file
FROM 'airlines.csv';
