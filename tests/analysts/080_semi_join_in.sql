-- asked: Customers who used a coupon
-- source: SQL tutorial, in with subquery
SELECT name FROM 'customers.csv'
WHERE customer_id IN (SELECT customer_id FROM 'orders.csv' WHERE coupon = 'vip')
ORDER BY name, customer_id;
