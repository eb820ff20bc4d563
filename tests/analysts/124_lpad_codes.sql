-- asked: Order numbers of eight digits
-- source: PostgreSQL tutorial, lpad
-- order: file
SELECT lpad(order_id::varchar, 8, '0') AS code, rpad(status, 10, '.') AS padded FROM 'orders.csv' LIMIT 5;
