-- asked: Growth over ten years
-- source: Stack Overflow, power operator
SELECT product_name, round(price * 1.05 ** 10, 2) AS later FROM 'products.csv' ORDER BY product_id LIMIT 5;
