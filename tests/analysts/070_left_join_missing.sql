-- asked: Destinations that no airport is known for
-- source: Stack Overflow, anti join by left join
SELECT DISTINCT f.dest
FROM 'flights.csv' f
LEFT JOIN 'airports.csv' a ON f.dest = a.faa
WHERE a.faa IS NULL;
