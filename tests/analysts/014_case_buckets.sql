-- asked: Sort penguins into light, middle and heavy
-- source: Mode SQL tutorial, case
SELECT species,
       CASE WHEN body_mass_g < 3500 THEN 'light'
            WHEN body_mass_g < 4500 THEN 'middle'
            WHEN body_mass_g IS NULL THEN 'unknown'
            ELSE 'heavy' END AS weight_class,
       COUNT(*) AS n
FROM 'penguins.csv'
GROUP BY 1, 2
ORDER BY 1, 2;
