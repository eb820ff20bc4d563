-- asked: Did everybody pass, did anybody fail
-- source: PostgreSQL tutorial, bool_and
SELECT subject, bool_and(score >= 40) AS all_passed, bool_or(score > 95) AS somebody_excelled
FROM 'scores.csv'
GROUP BY subject
ORDER BY subject;
