-- asked: Keep one row of each user and day
-- source: Stack Overflow, delete duplicates keep one
SELECT user_id, login_date FROM (
  SELECT user_id, login_date, row_number() OVER (PARTITION BY user_id, login_date) AS rn FROM 'logins.csv'
) WHERE rn = 1 ORDER BY user_id, login_date LIMIT 30;
