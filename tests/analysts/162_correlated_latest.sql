-- asked: Each ticker's last row
-- source: Stack Overflow, latest row per group
SELECT p.ticker, p.date, p.close
FROM 'prices.csv' p
WHERE p.date = (SELECT MAX(p2.date) FROM 'prices.csv' p2 WHERE p2.ticker = p.ticker)
ORDER BY p.ticker;
