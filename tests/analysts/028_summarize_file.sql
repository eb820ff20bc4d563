-- asked: An overview of every column
-- source: DuckDB guide, summarize
-- compare: columns column_name, min, max
SUMMARIZE 'penguins.csv';
