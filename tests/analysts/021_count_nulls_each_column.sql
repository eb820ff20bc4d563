-- asked: How many values are missing in each column
-- source: pandas, isna().sum() as SQL
SELECT count(*) - count(bill_length_mm) AS bill_length_missing,
       count(*) - count(body_mass_g) AS mass_missing,
       sum(CASE WHEN sex IS NULL THEN 1 ELSE 0 END) AS sex_missing
FROM 'penguins.csv';
