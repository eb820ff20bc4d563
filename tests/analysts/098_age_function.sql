-- asked: Age of accounts in years and months
-- source: PostgreSQL tutorial, age
SELECT customer_id, date_part('year', age(DATE '2024-07-01', signup_date)) AS years FROM 'customers.csv' ORDER BY 1 LIMIT 10;
