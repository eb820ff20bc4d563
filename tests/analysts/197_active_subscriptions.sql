-- asked: How many subscriptions were active in each month
-- source: Stack Overflow, active users by month
SELECT m.month::date AS month, count(s.user_id) AS active, sum(s.mrr) AS mrr
FROM generate_series(DATE '2023-01-01', DATE '2023-12-01', INTERVAL 1 MONTH) AS m(month)
LEFT JOIN 'subscriptions.csv' s
  ON s.start_date <= m.month AND (s.end_date IS NULL OR s.end_date > m.month)
GROUP BY m.month
ORDER BY m.month;
