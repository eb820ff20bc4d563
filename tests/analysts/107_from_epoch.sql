-- asked: Unix time as a timestamp
-- source: DuckDB docs, to_timestamp
SELECT make_timestamp(1718063400000000) AS a, epoch_ms(1718063400123) AS b;
