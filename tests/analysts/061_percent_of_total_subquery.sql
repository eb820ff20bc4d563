-- asked: Share of each status in percent
-- source: Stack Overflow, percentage of total
SELECT status, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / (SELECT COUNT(*) FROM 'orders.csv'), 1) AS pct
FROM 'orders.csv'
GROUP BY status
ORDER BY n DESC, status;
