-- asked: Orders with the names of their customers
-- source: SQL tutorial, inner join
SELECT o.order_id, c.name, o.order_date, o.amount
FROM 'orders.csv' o
INNER JOIN 'customers.csv' c ON o.customer_id = c.customer_id
WHERE o.amount > 300
ORDER BY o.amount DESC, o.order_id;
