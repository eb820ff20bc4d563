-- asked: All subjects of a student in one string
-- source: PostgreSQL forum, string_agg
SELECT student, string_agg(subject, ', ' ORDER BY subject) AS subjects
FROM 'scores.csv'
WHERE score >= 80
GROUP BY student
ORDER BY student;
