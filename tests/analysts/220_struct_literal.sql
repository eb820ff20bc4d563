-- asked: A record made and read
-- source: DuckDB docs, struct
SELECT r.kind AS kind, r.size + 1 AS size FROM (SELECT {'kind': name, 'size': length(name)} AS r FROM 'departments.csv') ORDER BY kind;
