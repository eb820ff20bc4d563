-- asked: Address lines without empty parts
-- source: PostgreSQL tutorial, concat_ws
SELECT concat_ws(', ', city, country, coupon) AS line
FROM 'customers.csv' c JOIN 'orders.csv' o USING (customer_id)
WHERE o.order_id < 1010
ORDER BY o.order_id;
