-- asked: Sales of three months from three files
-- source: Stack Overflow, union all
SELECT store, sum(amount) AS total FROM (
  SELECT * FROM 'sales_2023_01.csv'
  UNION ALL
  SELECT * FROM 'sales_2023_02.csv'
  UNION ALL
  SELECT * FROM 'sales_2023_03.csv'
) all_sales
GROUP BY store ORDER BY store;
