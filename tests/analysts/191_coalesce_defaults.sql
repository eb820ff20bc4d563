-- asked: Replace missing values
-- source: pandas, fillna as SQL
-- order: file
SELECT respondent, coalesce(age_group, 'unknown') AS age_group, ifnull(satisfaction, 0) AS satisfaction FROM 'survey.csv' LIMIT 12;
