-- asked: Everybody below a manager, with the level
-- source: Stack Overflow, employee hierarchy
WITH RECURSIVE chain AS (
    SELECT id, name, manager_id, 1 AS level FROM 'employees.csv' WHERE manager_id IS NULL
    UNION ALL
    SELECT e.id, e.name, e.manager_id, c.level + 1
    FROM 'employees.csv' e JOIN chain c ON e.manager_id = c.id
)
SELECT level, count(*) AS people FROM chain GROUP BY level ORDER BY level;
