-- asked: The columns in millimetres
-- source: DuckDB docs, columns with a lambda
-- order: file
SELECT columns(lambda c: c LIKE '%_mm') FROM 'penguins.csv' LIMIT 4;
