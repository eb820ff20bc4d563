-- asked: Orders outside the quartiles' fences
-- source: SQL for data scientists, outliers
WITH q AS (
    SELECT quantile_cont(amount, 0.25) AS q1, quantile_cont(amount, 0.75) AS q3 FROM 'orders.csv'
)
SELECT order_id, amount FROM 'orders.csv', q WHERE amount > q3 + 1.5 * (q3 - q1) ORDER BY amount DESC, order_id;
