-- asked: Orders by weekday
-- source: Stack Overflow, day of week
SELECT dayname(order_date) AS weekday, count(*) AS n
FROM 'orders.csv'
GROUP BY weekday, isodow(order_date)
ORDER BY isodow(order_date);
