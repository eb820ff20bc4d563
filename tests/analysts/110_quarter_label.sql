-- asked: Quarters written as 2023-Q1
-- source: Stack Overflow, quarter label
SELECT year(order_date) || '-Q' || quarter(order_date) AS q, COUNT(*) AS n FROM 'orders.csv' GROUP BY q ORDER BY q;
