-- asked: Products of an order separated by commas
-- source: SQLite, group_concat
-- order: none
SELECT order_id, group_concat(product_id) AS products
FROM (SELECT * FROM 'order_items.csv' ORDER BY order_id, product_id)
WHERE order_id < 1015
GROUP BY order_id;
