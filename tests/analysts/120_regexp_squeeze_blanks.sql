-- asked: One blank between words
-- source: Stack Overflow, collapse white space
SELECT id, regexp_replace(trim(full_name), '\s+', ' ', 'g') AS clean FROM 'contacts.csv' WHERE full_name LIKE '%  %' ORDER BY id;
