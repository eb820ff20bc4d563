-- asked: Only the long tags
-- source: DuckDB docs, list_filter
-- order: file
SELECT id, list_filter(tags, lambda t: length(t) > 3) AS long_tags FROM 'events.jsonl' LIMIT 6;
