-- asked: The last quote before each trade
-- source: DuckDB guide, asof join
SELECT t.ts, t.symbol, t.price, q.bid, q.ask
FROM 'trades.csv' t
ASOF JOIN 'quotes.csv' q ON t.symbol = q.symbol AND t.ts >= q.ts
ORDER BY t.ts, t.symbol, t.price;
