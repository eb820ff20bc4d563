-- asked: Read JSON lines through the reader function
-- source: DuckDB docs, JSON
-- order: none
SELECT event, count(*) AS n FROM read_json_auto('events.jsonl') GROUP BY event;
