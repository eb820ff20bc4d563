-- asked: Dates written in three ways
-- source: Stack Overflow, parse mixed dates
SELECT id, joined,
       coalesce(try_cast(joined AS date),
                try_strptime(joined, '%d/%m/%Y')::date,
                try_strptime(joined, '%b %d, %Y')::date) AS joined_on
FROM 'contacts.csv'
ORDER BY id;
