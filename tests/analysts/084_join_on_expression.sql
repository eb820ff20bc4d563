-- asked: Match customers by mail whatever the letter case
-- source: Stack Overflow, join on lower()
SELECT a.customer_id AS a, b.customer_id AS b, lower(a.email) AS email
FROM 'customers.csv' a JOIN 'customers.csv' b
  ON lower(a.email) = lower(b.email) AND a.customer_id < b.customer_id
ORDER BY 1, 2;
