-- asked: Five random rows
-- source: Stack Overflow, order by random
-- compare: number of rows
SELECT order_id, amount FROM 'orders.csv' ORDER BY random() LIMIT 5;
