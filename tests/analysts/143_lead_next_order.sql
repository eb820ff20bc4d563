-- asked: Days until a customer's next order
-- source: Stack Overflow, lead
SELECT customer_id, order_date,
       LEAD(order_date) OVER (PARTITION BY customer_id ORDER BY order_date, order_id) - order_date AS days_to_next
FROM 'orders.csv'
WHERE customer_id BETWEEN 1 AND 12
ORDER BY customer_id, order_date, order_id;
