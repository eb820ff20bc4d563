-- asked: Columns of a file, the short way
-- source: DuckDB guide, describe
-- compare: columns column_name
DESCRIBE FROM 'events.jsonl';
