-- asked: Best customer of each country
-- source: Blog, CTEs step by step
WITH totals AS (
    SELECT c.country, c.name, SUM(o.amount) AS total
    FROM 'orders.csv' o JOIN 'customers.csv' c USING (customer_id)
    GROUP BY c.country, c.customer_id, c.name
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY country ORDER BY total DESC, name) AS rn FROM totals
)
SELECT country, name, total FROM ranked WHERE rn = 1 ORDER BY total DESC;
