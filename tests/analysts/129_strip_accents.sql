-- asked: Search without accents
-- source: DuckDB docs, strip_accents
SELECT customer_id, name, city FROM 'customers.csv' WHERE strip_accents(lower(city)) = 'sao paulo' ORDER BY customer_id;
