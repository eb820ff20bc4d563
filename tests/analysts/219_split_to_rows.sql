-- asked: Tools of the survey as rows
-- source: PostgreSQL tutorial, regexp_split_to_table
SELECT tool, count(*) AS n FROM (SELECT unnest(regexp_split_to_array(tools, '\s*;\s*')) AS tool FROM 'survey.csv') GROUP BY tool ORDER BY n DESC, tool;
