-- asked: Turn the measures into rows
-- source: DuckDB guide, unpivot
-- order: file
UNPIVOT (SELECT species, bill_length_mm, bill_depth_mm FROM 'penguins.csv' LIMIT 6)
ON bill_length_mm, bill_depth_mm
INTO NAME measure VALUE mm;
