-- asked: Scores with one column for each subject
-- source: DuckDB guide, pivot
PIVOT 'scores.csv' ON subject USING max(score) GROUP BY student ORDER BY student;
