-- asked: First and last order
-- source: SQL tutorial, min and max
select min(order_date) as first_order, max(order_date) as last_order, max(order_date) - min(order_date) as days from 'orders.csv';
