-- asked: Rank students in each subject
-- source: Mode SQL tutorial, rank
SELECT subject, student, score,
       RANK() OVER (PARTITION BY subject ORDER BY score DESC) AS rnk,
       DENSE_RANK() OVER (PARTITION BY subject ORDER BY score DESC) AS dense
FROM 'scores.csv'
WHERE score IS NOT NULL
ORDER BY subject, rnk, student;
