-- asked: The most frequent coupon
-- source: pandas, mode() as SQL
SELECT mode(status) AS most_frequent FROM 'orders.csv';
