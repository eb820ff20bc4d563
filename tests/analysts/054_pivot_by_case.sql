-- asked: One row for each store, one column for each month
-- source: Stack Overflow, pivot by case
SELECT store,
       SUM(CASE WHEN month(day) = 1 THEN amount ELSE 0 END) AS jan,
       SUM(CASE WHEN month(day) = 2 THEN amount ELSE 0 END) AS feb,
       SUM(CASE WHEN month(day) = 3 THEN amount ELSE 0 END) AS mar
FROM (SELECT * FROM 'sales_2023_01.csv'
      UNION ALL SELECT * FROM 'sales_2023_02.csv'
      UNION ALL SELECT * FROM 'sales_2023_03.csv') s
GROUP BY store
ORDER BY store;
