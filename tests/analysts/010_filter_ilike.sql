-- asked: Find a mail address whatever its letter case
-- source: Stack Overflow, case-insensitive like
select customer_id, email from 'customers.csv' where email ilike '%mail.com' order by 1;
