-- asked: The heaviest penguin of each island
-- source: DuckDB docs, qualify
SELECT island, species, body_mass_g
FROM 'penguins.csv'
WHERE body_mass_g IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY island ORDER BY body_mass_g DESC) = 1
ORDER BY island;
