-- asked: Running total of revenue
-- source: Stack Overflow, running total
SELECT order_date, order_id, amount, SUM(amount) OVER (ORDER BY order_date, order_id) AS running_total
FROM 'orders.csv'
ORDER BY order_date, order_id
LIMIT 20;
