-- asked: Clean the names
-- source: Stack Overflow, trim and lower
SELECT id, lower(trim(full_name)) AS name FROM 'contacts.csv' ORDER BY id, name LIMIT 15;
