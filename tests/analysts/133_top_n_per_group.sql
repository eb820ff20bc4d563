-- asked: The two dearest orders of each customer
-- source: Stack Overflow, top n per group
SELECT * FROM (
    SELECT customer_id, order_id, amount,
           ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY amount DESC, order_id) AS rn
    FROM 'orders.csv'
) t
WHERE rn <= 2 AND customer_id <= 10
ORDER BY customer_id, rn;
