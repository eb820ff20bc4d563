-- asked: Every store with every month
-- source: SQL tutorial, cross join
SELECT s.store, m.month
FROM (SELECT DISTINCT store FROM 'sales_2023_01.csv') s
CROSS JOIN (SELECT DISTINCT month(order_date) AS month FROM 'orders.csv') m
ORDER BY s.store, m.month;
