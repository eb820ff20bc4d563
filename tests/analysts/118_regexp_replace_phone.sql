-- asked: Only the digits of phone numbers
-- source: Stack Overflow, strip non-digits
SELECT id, phone, regexp_replace(phone, '[^0-9]', '', 'g') AS digits FROM 'contacts.csv' ORDER BY id LIMIT 20;
