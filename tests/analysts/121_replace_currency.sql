-- asked: Amounts such as $1,234.50 as numbers
-- source: Stack Overflow, money text to number
SELECT id, balance, CAST(replace(replace(balance, '$', ''), ',', '') AS DECIMAL(12, 2)) AS amount
FROM 'contacts.csv'
WHERE balance LIKE '$%'
ORDER BY id;
