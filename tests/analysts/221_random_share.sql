-- asked: About half of the rows
-- source: Stack Overflow, random sample in where
-- compare: number of rows
SELECT count(*) BETWEEN 1 AND 340 AS plausible FROM 'gapminder.csv' WHERE random() < 0.5;
