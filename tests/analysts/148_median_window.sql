-- asked: Each mass against its species' median
-- source: DuckDB docs, aggregates as windows
-- order: none
SELECT species, body_mass_g - median(body_mass_g) OVER (PARTITION BY species) AS off
FROM 'penguins.csv'
WHERE year = 2009 AND island = 'Dream';
