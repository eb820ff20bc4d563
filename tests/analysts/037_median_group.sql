-- asked: Median mass of each species and sex
-- source: pandas, groupby().median() as SQL
SELECT species, sex, median(body_mass_g) AS median_mass
FROM 'penguins.csv'
WHERE sex IS NOT NULL
GROUP BY species, sex
ORDER BY species, sex;
