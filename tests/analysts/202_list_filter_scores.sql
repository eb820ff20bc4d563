-- asked: The scores above 60 of each student
-- source: DuckDB docs, list_filter
SELECT student, list_filter(list(score ORDER BY subject), lambda s: s > 60) AS passed
FROM 'scores.csv' GROUP BY student ORDER BY student;
