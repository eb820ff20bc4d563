-- asked: Totals for each plan and for everything
-- source: DuckDB docs, grouping sets
SELECT plan, sum(mrr) AS mrr FROM 'subscriptions.csv' WHERE end_date IS NULL
GROUP BY GROUPING SETS ((plan), ()) ORDER BY plan NULLS LAST;
