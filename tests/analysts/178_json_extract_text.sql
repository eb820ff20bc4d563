-- asked: A value out of JSON text
-- source: SQLite, json_extract
SELECT json_extract_string('{"a": {"b": [10, 20]}, "name": "x"}', '$.name') AS name,
       CAST(json_extract('{"a": {"b": [10, 20]}}', '$.a.b[1]') AS INT) AS second;
