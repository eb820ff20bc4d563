-- asked: A small table from two lists
-- source: DuckDB docs, unnest
SELECT unnest([1, 2, 3]) AS id, unnest(['a', 'b']) AS letter ORDER BY id;
