-- asked: Orders on the last day of a month
-- source: Stack Overflow, last day of month
SELECT order_id, order_date FROM 'orders.csv' WHERE order_date = last_day(order_date) ORDER BY order_id;
