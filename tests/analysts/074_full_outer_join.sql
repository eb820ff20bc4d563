-- asked: Customers without orders and orders without customers
-- source: SQL tutorial, full join
-- order: none
SELECT c.customer_id AS customer, o.customer_id AS orderer
FROM 'customers.csv' c
FULL OUTER JOIN (SELECT DISTINCT customer_id FROM 'orders.csv') o ON c.customer_id = o.customer_id
WHERE c.customer_id IS NULL OR o.customer_id IS NULL;
