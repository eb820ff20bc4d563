-- asked: Revenue by month as text
-- source: SQLite, strftime
SELECT strftime(order_date, '%Y-%m') AS ym, sum(amount) AS revenue
FROM 'orders.csv'
GROUP BY ym
ORDER BY ym;
