-- asked: Sales of two shops side by side
-- source: SQL Server tutorial, PIVOT with names
SELECT * FROM 'sales_2023_01.csv' PIVOT (sum(amount) AS total FOR store IN ('North', 'South') GROUP BY day) ORDER BY day;
