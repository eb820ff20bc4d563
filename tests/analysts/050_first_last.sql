-- asked: First and last price of each ticker
-- source: Stack Overflow, open and close of a day
SELECT ticker, first(close ORDER BY date) AS open, last(close ORDER BY date) AS close, max(close) AS high, min(close) AS low
FROM 'prices.csv' GROUP BY ticker ORDER BY ticker;
