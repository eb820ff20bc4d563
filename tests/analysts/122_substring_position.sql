-- asked: What stands before the at sign
-- source: SQLite, instr and substr
SELECT DISTINCT email, substr(email, 1, instr(email, '@') - 1) AS user FROM 'contacts.csv' ORDER BY email LIMIT 10;
