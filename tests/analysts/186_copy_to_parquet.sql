-- asked: Write an answer to a Parquet file
-- source: DuckDB guide, Parquet export
-- then: SELECT count(*) AS n, sum(pop) AS pop FROM '${OUT}/big.parquet'
COPY (SELECT * FROM 'gapminder.csv' WHERE pop > 50000000) TO '${OUT}/big.parquet' (FORMAT parquet);
