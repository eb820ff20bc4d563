-- asked: Spread of the delays for each carrier
-- source: pandas, agg(['mean','std','var']) as SQL
SELECT carrier, count(dep_delay) AS n, avg(dep_delay) AS mean, stddev(dep_delay) AS sd, var_samp(dep_delay) AS var
FROM 'flights.csv'
GROUP BY carrier
ORDER BY carrier;
