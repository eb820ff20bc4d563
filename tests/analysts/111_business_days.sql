-- asked: Orders at weekends
-- source: Stack Overflow, weekends
SELECT CASE WHEN extract(isodow FROM order_date) >= 6 THEN 'weekend' ELSE 'weekday' END AS kind, count(*) AS n, round(avg(amount), 2) AS mean
FROM 'orders.csv' GROUP BY kind ORDER BY kind;
