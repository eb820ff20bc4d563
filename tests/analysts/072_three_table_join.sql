-- asked: Revenue by category and country
-- source: Northwind exercises
SELECT c.country, p.category, SUM(i.quantity * i.unit_price) AS revenue
FROM 'order_items.csv' i
JOIN 'orders.csv' o ON i.order_id = o.order_id
JOIN 'products.csv' p ON i.product_id = p.product_id
JOIN 'customers.csv' c ON c.customer_id = o.customer_id
WHERE p.category IS NOT NULL AND o.status <> 'cancelled'
GROUP BY c.country, p.category
ORDER BY c.country, p.category;
