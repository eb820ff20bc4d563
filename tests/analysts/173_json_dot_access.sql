-- asked: Browsers by a nested field
-- source: DuckDB guide, JSON
SELECT device.browser, count(*) AS n FROM 'events.jsonl' GROUP BY device.browser ORDER BY n DESC, device.browser;
