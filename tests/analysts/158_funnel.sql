-- asked: How many users reach each step
-- source: Mode, funnel analysis
WITH steps AS (
    SELECT user_id,
           MIN(ts) FILTER (WHERE event = 'visit') AS visited,
           MIN(ts) FILTER (WHERE event = 'view_item') AS viewed,
           MIN(ts) FILTER (WHERE event = 'purchase') AS bought
    FROM 'events.jsonl'
    GROUP BY user_id
)
SELECT COUNT(visited) AS visits,
       COUNT(CASE WHEN viewed > visited THEN 1 END) AS views,
       COUNT(CASE WHEN bought > viewed AND viewed > visited THEN 1 END) AS purchases
FROM steps;
