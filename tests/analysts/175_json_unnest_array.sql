-- asked: Count the tags of events
-- source: DuckDB docs, unnest
SELECT tag, count(*) AS n
FROM (SELECT unnest(tags) AS tag FROM 'events.jsonl')
GROUP BY tag
ORDER BY tag;
