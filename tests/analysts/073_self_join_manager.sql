-- asked: Employees who earn more than their manager
-- source: LeetCode 181
SELECT e.name AS employee, e.salary, m.name AS manager, m.salary AS manager_salary
FROM 'employees.csv' e, 'employees.csv' m
WHERE e.manager_id = m.id AND e.salary > m.salary
ORDER BY e.salary DESC, e.id;
