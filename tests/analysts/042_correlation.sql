-- asked: Is a longer flipper a heavier penguin
-- source: SQL for data scientists, corr
SELECT species, corr(flipper_length_mm, body_mass_g) AS r
FROM 'penguins.csv'
GROUP BY species
ORDER BY species;
