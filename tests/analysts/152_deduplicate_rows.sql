-- asked: Drop rows that are there twice
-- source: pandas, drop_duplicates as SQL
-- order: none
SELECT DISTINCT * FROM 'contacts.csv';
