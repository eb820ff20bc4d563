-- asked: Which orders were never shipped
-- source: SQL tutorial, is null
SELECT order_id, status FROM 'orders.csv'
WHERE shipped_date IS NULL AND status <> 'cancelled'
ORDER BY order_id;
