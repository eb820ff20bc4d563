-- asked: How many penguins of each species
-- source: pandas, value_counts as SQL
SELECT species, COUNT(*) AS n FROM 'penguins.csv' GROUP BY species ORDER BY n DESC;
