-- asked: Join with a few rows typed by hand
-- source: Stack Overflow, values as table
SELECT o.status, v.label, count(*) AS n
FROM 'orders.csv' o
JOIN (VALUES ('shipped', 'on its way'), ('delivered', 'done')) AS v(status, label) ON o.status = v.status
GROUP BY o.status, v.label
ORDER BY o.status;
