-- asked: The three dearest products of each category
-- source: DuckDB docs, list slicing
SELECT category, array_agg(product_name ORDER BY price DESC, product_name)[1:3] AS top3
FROM 'products.csv'
WHERE category IS NOT NULL
GROUP BY category
ORDER BY category;
