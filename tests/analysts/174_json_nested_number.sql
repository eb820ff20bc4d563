-- asked: Revenue from a nested price
-- source: DuckDB guide, JSON
SELECT device.os AS os, sum(props.price) AS revenue
FROM 'events.jsonl'
WHERE event = 'purchase'
GROUP BY os
ORDER BY os;
