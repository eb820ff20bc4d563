-- asked: Difference from the month before, zero for the first
-- source: window function tutorial, lag
SELECT month, revenue, revenue - LAG(revenue, 1, 0) OVER (ORDER BY month) AS change
FROM (SELECT date_trunc('month', order_date) AS month, sum(amount) AS revenue FROM 'orders.csv' GROUP BY 1) m
ORDER BY month;
