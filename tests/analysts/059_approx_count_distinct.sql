-- asked: Roughly how many addresses called
-- source: DuckDB docs, approx_count_distinct
SELECT approx_count_distinct(status) AS states FROM 'requests.csv';
