-- asked: Mean number of days until shipping
-- source: SQL tutorial, date arithmetic
SELECT status, avg(shipped_date - order_date) AS mean_days, max(shipped_date - order_date) AS slowest
FROM 'orders.csv' GROUP BY status ORDER BY status;
