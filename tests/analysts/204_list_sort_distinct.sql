-- asked: The different genres of two films
-- source: DuckDB docs, list functions
SELECT title, list_sort(list_distinct(list_concat(genres, ['Drama']))) AS genres
FROM 'movies.jsonl' ORDER BY title, year LIMIT 8;
