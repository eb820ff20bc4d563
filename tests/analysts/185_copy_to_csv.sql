-- asked: Write an answer to a CSV file
-- source: DuckDB guide, CSV export
-- then: SELECT * FROM '${OUT}/by_species.csv' ORDER BY 1, 2
COPY (SELECT species, sex, count(*) AS n FROM 'penguins.csv' GROUP BY ALL) TO '${OUT}/by_species.csv' (HEADER, DELIMITER ',');
