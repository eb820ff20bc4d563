-- asked: Calculate something
-- source: DuckDB shell
SELECT 42 * 1.19 AS gross, round(2 / 3, 3) AS r, 7 // 2 AS i, 7 % 3 AS m, 'a' || 'b' AS s;
