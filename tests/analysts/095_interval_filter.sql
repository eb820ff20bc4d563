-- asked: Orders of the 30 days before a day
-- source: Stack Overflow, last 30 days
SELECT count(*) AS n, sum(amount) AS total FROM 'orders.csv'
WHERE order_date >= DATE '2024-01-31' - INTERVAL '30 days' AND order_date < DATE '2024-01-31';
