-- asked: Orders of one week
-- source: SQL tutorial, between
SELECT order_id, order_date, amount
FROM 'orders.csv'
WHERE order_date BETWEEN '2023-05-01' AND '2023-05-14'
ORDER BY order_date, order_id;
