-- asked: Users with two subscriptions at the same time
-- source: Stack Overflow, overlapping date ranges
SELECT DISTINCT a.user_id
FROM 'subscriptions.csv' a JOIN 'subscriptions.csv' b
  ON a.user_id = b.user_id
 AND (a.start_date, a.plan) < (b.start_date, b.plan)
 AND coalesce(a.end_date, '9999-12-31') > b.start_date
ORDER BY a.user_id;
