-- asked: Which islands and species are there
-- source: SQL tutorial, distinct
SELECT DISTINCT island, species FROM 'penguins.csv' ORDER BY island, species;
