-- asked: A calendar of one week
-- source: DuckDB docs, range
SELECT unnest(range(DATE '2024-01-01', DATE '2024-01-08', INTERVAL 1 DAY))::date AS day;
