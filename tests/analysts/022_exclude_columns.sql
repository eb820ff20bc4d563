-- asked: All columns but two
-- source: DuckDB guide, exclude
-- order: file
SELECT * EXCLUDE (bill_depth_mm, flipper_length_mm) FROM 'penguins.csv' LIMIT 3;
