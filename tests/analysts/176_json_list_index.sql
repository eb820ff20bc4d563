-- asked: First tag and number of tags
-- source: DuckDB docs, lists
-- order: file
SELECT id, tags[1] AS first_tag, len(tags) AS n FROM 'events.jsonl' LIMIT 10;
