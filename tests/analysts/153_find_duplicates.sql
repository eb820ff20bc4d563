-- asked: Which mail addresses are there more than once
-- source: Stack Overflow, find duplicates
SELECT email, COUNT(*) AS n
FROM 'contacts.csv'
GROUP BY email
HAVING COUNT(*) > 1
ORDER BY n DESC, email;
