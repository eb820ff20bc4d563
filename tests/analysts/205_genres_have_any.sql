-- asked: Films of either genre
-- source: DuckDB docs, list_has_any
SELECT title, year FROM 'movies.jsonl' WHERE list_has_any(genres, ['Sci-Fi', 'Drama']) ORDER BY title, year;
