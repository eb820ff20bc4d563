-- asked: Customers with their number of orders and last order
-- source: Stack Overflow, join with group by
SELECT c.name, s.orders, s.last_order
FROM 'customers.csv' c
JOIN (
    SELECT customer_id, COUNT(*) AS orders, MAX(order_date) AS last_order
    FROM 'orders.csv'
    GROUP BY customer_id
) s ON s.customer_id = c.customer_id
ORDER BY s.orders DESC, s.last_order DESC, c.customer_id
LIMIT 10;
