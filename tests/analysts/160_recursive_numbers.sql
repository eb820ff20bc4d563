-- asked: The numbers from 1 to 10
-- source: SQLite docs, with recursive
WITH RECURSIVE cnt(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM cnt WHERE x < 10)
SELECT x, x * x AS square FROM cnt;
