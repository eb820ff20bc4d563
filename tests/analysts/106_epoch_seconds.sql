-- asked: Timestamps as Unix time
-- source: Stack Overflow, epoch
-- order: file
SELECT ts, epoch(ts) AS unix, epoch_ms(ts) AS ms FROM 'requests.csv' LIMIT 5;
