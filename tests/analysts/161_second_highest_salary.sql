-- asked: The second highest salary
-- source: LeetCode 176
SELECT MAX(salary) AS SecondHighestSalary
FROM 'employees.csv'
WHERE salary < (SELECT MAX(salary) FROM 'employees.csv');
