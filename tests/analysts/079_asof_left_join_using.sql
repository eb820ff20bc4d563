-- asked: The last quote, also for trades without one
-- source: DuckDB guide, asof join
SELECT symbol, ts, price, price - bid AS above_bid
FROM 'trades.csv' ASOF LEFT JOIN 'quotes.csv' USING (symbol, ts)
ORDER BY symbol, ts, price;
