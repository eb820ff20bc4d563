-- asked: Customers whose mail is at a university
-- source: SQL tutorial, like
SELECT name, email FROM 'customers.csv' WHERE email LIKE '%.edu' ORDER BY customer_id;
