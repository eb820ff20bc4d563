-- asked: Convert invoices by the rate that was valid on their day
-- source: Stack Overflow, join on date range
SELECT i.invoice_no, i.currency, i.amount, round(i.amount * coalesce(r.rate, 1), 2) AS eur
FROM 'invoices.csv' i
LEFT JOIN 'rates.csv' r
  ON i.currency = r.currency AND i.invoice_date BETWEEN r.valid_from AND r.valid_to
ORDER BY i.invoice_no;
