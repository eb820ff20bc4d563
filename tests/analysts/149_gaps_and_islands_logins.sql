-- asked: Longest run of days with a login
-- source: Stack Overflow, gaps and islands
WITH days AS (
    SELECT DISTINCT user_id, login_date FROM 'logins.csv'
), grouped AS (
    SELECT user_id, login_date,
           login_date - (ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY login_date))::int AS grp
    FROM days
)
SELECT user_id, MIN(login_date) AS start, MAX(login_date) AS stop, COUNT(*) AS days
FROM grouped
GROUP BY user_id, grp
HAVING COUNT(*) >= 3
ORDER BY days DESC, user_id, start;
