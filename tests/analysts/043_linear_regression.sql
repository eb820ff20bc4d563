-- asked: Slope and intercept of a line
-- source: DuckDB docs, regr_slope
SELECT regr_slope(body_mass_g, flipper_length_mm) AS slope,
       regr_intercept(body_mass_g, flipper_length_mm) AS intercept,
       regr_r2(body_mass_g, flipper_length_mm) AS r2
FROM 'penguins.csv';
