-- asked: Numbers out of text, null where it is none
-- source: DuckDB docs, try_cast
SELECT id, balance, TRY_CAST(balance AS DOUBLE) AS value FROM 'contacts.csv' ORDER BY id LIMIT 20;
