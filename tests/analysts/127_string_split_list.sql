-- asked: Tools of the survey counted one by one
-- source: Stack Overflow, split string to rows
SELECT tool, count(*) AS n
FROM (SELECT unnest(string_split(tools, ';')) AS tool FROM 'survey.csv' WHERE tools IS NOT NULL)
GROUP BY tool
ORDER BY n DESC, tool;
