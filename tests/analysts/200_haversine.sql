-- asked: Distance of airports from New York
-- source: Blog, haversine in SQL
SELECT faa, round(2 * 6371 * asin(sqrt(power(sin(radians(lat - 40.64) / 2), 2) + cos(radians(40.64)) * cos(radians(lat)) * power(sin(radians(lon + 73.78) / 2), 2))), 1) AS km
FROM 'airports.csv' ORDER BY km;
