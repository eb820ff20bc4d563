-- asked: All words that begin with a capital
-- source: DuckDB docs, regexp_extract_all
SELECT DISTINCT product_name, regexp_extract_all(product_name, '[A-Z][a-z]+') AS words FROM 'products.csv' ORDER BY product_name LIMIT 8;
