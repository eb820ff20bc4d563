-- asked: Orders of each customer, none included
-- source: Stack Overflow, cross join lateral
SELECT c.customer_id, t.n, t.total FROM 'customers.csv' c
CROSS JOIN LATERAL (SELECT count(*) AS n, sum(amount) AS total FROM 'orders.csv' o WHERE o.customer_id = c.customer_id) t
ORDER BY 1;
