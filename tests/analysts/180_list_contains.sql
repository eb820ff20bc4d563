-- asked: Films of a genre
-- source: DuckDB docs, list_contains
SELECT title, year, rating FROM 'movies.jsonl' WHERE list_contains(genres, 'Sci-Fi') ORDER BY year, title;
