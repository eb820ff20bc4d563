-- asked: Everything until today
-- source: Stack Overflow, current_date
SELECT count(*) FROM 'orders.csv' WHERE order_date <= current_date;
