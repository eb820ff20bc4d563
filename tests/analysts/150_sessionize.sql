-- asked: Sessions that end after 30 minutes without a click
-- source: Blog, sessionization in SQL
WITH marked AS (
    SELECT user_id, ts,
           CASE WHEN ts - lag(ts) OVER (PARTITION BY user_id ORDER BY ts) <= INTERVAL 30 MINUTE THEN 0 ELSE 1 END AS is_new
    FROM 'events.jsonl'
)
SELECT user_id, ts, sum(is_new) OVER (PARTITION BY user_id ORDER BY ts) AS session
FROM marked
ORDER BY user_id, ts;
