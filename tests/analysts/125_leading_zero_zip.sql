-- asked: Zip codes keep their zeros
-- source: Stack Overflow, leading zeros
SELECT zip, count(*) AS n FROM 'contacts.csv' WHERE zip < '2' GROUP BY zip ORDER BY zip;
