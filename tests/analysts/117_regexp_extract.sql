-- asked: The number in a product's name
-- source: DuckDB docs, regexp_extract
SELECT product_name, regexp_extract(product_name, '(\d+)$', 1)::int AS no FROM 'products.csv' ORDER BY no;
