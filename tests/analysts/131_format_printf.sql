-- asked: Amounts with thousands separators
-- source: DuckDB docs, format
SELECT status, format('{:,.2f}', sum(amount)::double) AS total FROM 'orders.csv' GROUP BY status ORDER BY status;
