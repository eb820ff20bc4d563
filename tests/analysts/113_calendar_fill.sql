-- asked: Sales of each day, also of days without sales
-- source: Stack Overflow, fill missing dates
SELECT d.day::date AS day, coalesce(sum(s.amount), 0) AS amount
FROM generate_series(DATE '2023-01-01', DATE '2023-01-31', INTERVAL 1 DAY) AS d(day)
LEFT JOIN 'sales_2023_01.csv' s ON s.day = d.day
GROUP BY d.day
ORDER BY d.day;
