-- asked: Customers by month of the first order and months since then
-- source: Mode, cohort analysis
WITH firsts AS (
    SELECT customer_id, date_trunc('month', min(order_date)) AS cohort FROM 'orders.csv' GROUP BY customer_id
),
activity AS (
    SELECT f.cohort, date_diff('month', f.cohort, date_trunc('month', o.order_date)) AS month_no, o.customer_id
    FROM 'orders.csv' o JOIN firsts f USING (customer_id)
)
SELECT cohort, month_no, COUNT(DISTINCT customer_id) AS customers
FROM activity
GROUP BY cohort, month_no
ORDER BY cohort, month_no;
