-- asked: Mean of monthly revenues
-- source: SQL tutorial, with
WITH monthly AS (
    SELECT date_trunc('month', order_date) AS month, SUM(amount) AS revenue
    FROM 'orders.csv'
    WHERE status <> 'cancelled'
    GROUP BY 1
)
SELECT AVG(revenue) AS mean_revenue, MIN(revenue) AS worst, MAX(revenue) AS best FROM monthly;
