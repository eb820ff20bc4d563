-- asked: Mean price of each category, rounded
-- source: SQL tutorial, group by
SELECT category, ROUND(AVG(price), 2) AS avg_price, MIN(price) AS lowest, MAX(price) AS highest
FROM 'products.csv'
GROUP BY category
ORDER BY avg_price DESC NULLS LAST;
