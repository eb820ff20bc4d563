-- asked: Requests after midnight by clock time
-- source: Stack Overflow, compare time of day
SELECT count(*) AS early FROM 'requests.csv' WHERE ts::time BETWEEN TIME '00:00:00' AND TIME '06:00:00';
