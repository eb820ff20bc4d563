-- asked: Customers who never ordered
-- source: LeetCode 183
SELECT c.customer_id, c.name
FROM 'customers.csv' c
WHERE NOT EXISTS (SELECT 1 FROM 'orders.csv' o WHERE o.customer_id = c.customer_id)
ORDER BY c.customer_id;
