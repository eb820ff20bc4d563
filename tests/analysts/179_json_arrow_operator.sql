-- asked: Fields of JSON text by arrows
-- source: PostgreSQL forum, -> and ->>
SELECT user_id, to_json(device)->>'os' AS os, count(*) AS n
FROM 'events.jsonl'
WHERE to_json(device)->>'browser' = 'Firefox'
GROUP BY 1, 2
ORDER BY 1, 2;
