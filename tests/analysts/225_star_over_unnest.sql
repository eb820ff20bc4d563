-- asked: All columns of films, with a row for each genre
-- source: DuckDB docs, unnest in from
SELECT * EXCLUDE (genres, votes) FROM 'movies.jsonl' m, unnest(m.genres) AS u(genre) ORDER BY title, year, genre LIMIT 8;
