-- asked: Due dates of invoices
-- source: DuckDB docs, interval
-- order: file
SELECT invoice_no, invoice_date, invoice_date + INTERVAL 1 MONTH AS due, paid FROM 'invoices.csv' LIMIT 10;
