-- asked: Share of each carrier, by a window over the groups
-- source: Mode SQL tutorial, window over aggregate
SELECT carrier, count(*) AS flights, count(*) * 100.0 / sum(count(*)) OVER () AS share
FROM 'flights.csv'
GROUP BY carrier
ORDER BY share DESC, carrier;
