-- asked: Daily return of each ticker
-- source: pandas, pct_change as SQL
SELECT date, ticker, close, round(close / lag(close) OVER (PARTITION BY ticker ORDER BY date) - 1, 5) AS ret
FROM 'prices.csv'
WHERE ticker IN ('AAA', 'CCC')
ORDER BY ticker, date
LIMIT 40;
