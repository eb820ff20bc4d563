-- asked: Moving mean over 7 rows
-- source: DuckDB docs, window functions
SELECT ticker, date, close,
       avg(close) OVER (PARTITION BY ticker ORDER BY date ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS ma7
FROM 'prices.csv'
WHERE ticker = 'AAA'
ORDER BY date;
