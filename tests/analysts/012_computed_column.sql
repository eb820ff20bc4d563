-- asked: Add a column for body mass in kilograms
-- source: pandas, assign as SQL
-- order: file
SELECT species, body_mass_g / 1000 AS body_mass_kg FROM 'penguins.csv' LIMIT 8;
