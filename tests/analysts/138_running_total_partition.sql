-- asked: Running total of each store
-- source: window function tutorial
SELECT store, day, amount,
       sum(amount) OVER (PARTITION BY store ORDER BY day, amount ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
FROM 'sales_2023_02.csv'
ORDER BY store, day, amount;
