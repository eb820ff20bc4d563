-- asked: The domain of mail addresses
-- source: PostgreSQL tutorial, split_part
SELECT split_part(lower(email), '@', 2) AS domain, count(*) AS n
FROM 'customers.csv'
WHERE email IS NOT NULL
GROUP BY domain
ORDER BY n DESC, domain;
