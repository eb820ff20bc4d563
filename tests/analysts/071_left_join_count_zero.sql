-- asked: Departments with their number of people, also the empty ones
-- source: LeetCode, count with left join
SELECT d.name, COUNT(e.id) AS people, COALESCE(SUM(e.salary), 0) AS payroll
FROM 'departments.csv' d
LEFT JOIN 'employees.csv' e ON e.department_id = d.id
GROUP BY d.id, d.name
ORDER BY people DESC, d.name;
