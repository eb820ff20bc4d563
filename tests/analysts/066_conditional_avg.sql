-- asked: Mean of one group beside the mean of all
-- source: LeetCode, SQL 50
SELECT island, avg(CASE WHEN sex = 'female' THEN body_mass_g END) AS female, avg(body_mass_g) AS everybody
FROM 'penguins.csv' GROUP BY island ORDER BY island;
