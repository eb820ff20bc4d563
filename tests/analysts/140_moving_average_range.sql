-- asked: Mean of the last 7 days, by time and not by rows
-- source: DuckDB docs, range framing
SELECT date, ticker, avg(close) OVER (PARTITION BY ticker ORDER BY date RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW) AS ma
FROM 'prices.csv'
WHERE date < '2024-02-01'
ORDER BY ticker, date;
