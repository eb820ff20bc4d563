-- asked: Items of all baskets
-- source: Stack Overflow, flatten nested JSON
SELECT e.id, item.sku, item.qty
FROM 'events.jsonl' e, unnest(e.props.items) AS t(item)
ORDER BY e.id, item.sku, item.qty
LIMIT 20;
