-- asked: Shipped and cancelled orders beside each other
-- source: DuckDB docs, filter clause
SELECT date_part('year', order_date) AS year,
       count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
       count(*) FILTER (status IN ('shipped', 'delivered')) AS done,
       sum(amount) FILTER (WHERE coupon IS NOT NULL) AS with_coupon
FROM 'orders.csv'
GROUP BY 1
ORDER BY 1;
