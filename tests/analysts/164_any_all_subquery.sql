-- asked: Dearer than every mug
-- source: SQL tutorial, all
SELECT product_name, price FROM 'products.csv' WHERE price > ALL (SELECT price FROM 'products.csv' WHERE category = 'Mug') ORDER BY price DESC, product_name;
