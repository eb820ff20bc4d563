-- asked: Mean rating of each genre
-- source: Stack Overflow, unnest and group
SELECT g.genre, count(*) AS films, round(avg(rating), 2) AS mean
FROM 'movies.jsonl', unnest(genres) AS g(genre)
GROUP BY g.genre
HAVING count(rating) > 1
ORDER BY mean DESC, g.genre;
