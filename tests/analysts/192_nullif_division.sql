-- asked: No division by zero
-- source: Stack Overflow, nullif
SELECT path, sum(bytes) / nullif(sum(CASE WHEN status = 200 THEN 1 END), 0) AS bytes_per_ok FROM 'requests.csv' GROUP BY path ORDER BY path;
