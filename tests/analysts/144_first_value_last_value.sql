-- asked: Price compared with the first of the quarter
-- source: window function tutorial, first_value
SELECT ticker, date, close,
       first_value(close) OVER w AS first_close,
       last_value(close) OVER (PARTITION BY ticker ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_close
FROM 'prices.csv'
WHERE date >= '2024-03-18'
WINDOW w AS (PARTITION BY ticker ORDER BY date)
ORDER BY ticker, date;
