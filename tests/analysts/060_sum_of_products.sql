-- asked: Revenue of each product
-- source: Northwind exercises
SELECT product_id, SUM(quantity * unit_price * (1 - discount)) AS revenue, SUM(quantity) AS units
FROM 'order_items.csv'
GROUP BY product_id
ORDER BY revenue DESC, product_id
LIMIT 10;
