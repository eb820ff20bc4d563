-- asked: Names that begin with a vowel
-- source: Stack Overflow, regular expressions in where
SELECT DISTINCT name FROM 'employees.csv' WHERE regexp_matches(name, '^[AEIOUÍ]') ORDER BY name;
