-- asked: Employees above the mean of their department
-- source: Stack Overflow, compare with group average
SELECT name, department_id, salary, dept_avg
FROM (SELECT *, avg(salary) OVER (PARTITION BY department_id) AS dept_avg FROM 'employees.csv')
WHERE salary > dept_avg
ORDER BY department_id, salary DESC, name;
