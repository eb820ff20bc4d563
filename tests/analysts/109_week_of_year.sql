-- asked: Revenue by ISO week
-- source: Stack Overflow, group by week
SELECT yearweek(order_date) AS yw, min(order_date) AS first_day, sum(amount) AS revenue
FROM 'orders.csv' WHERE order_date < '2023-04-01'
GROUP BY yw
ORDER BY yw;
