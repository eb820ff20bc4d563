-- asked: Percentile of each salary
-- source: SQL tutorial, percent_rank
SELECT id, salary, round(percent_rank() OVER (ORDER BY salary), 3) AS pr, round(cume_dist() OVER (ORDER BY salary), 3) AS cd
FROM 'employees.csv'
WHERE salary IS NOT NULL
ORDER BY salary, id;
