-- asked: Make dates of text such as 31/12/2020
-- source: DuckDB docs, strptime
SELECT id, joined, strptime(joined, '%d/%m/%Y')::date AS joined_on
FROM 'contacts.csv'
WHERE joined LIKE '__/__/____'
ORDER BY id;
