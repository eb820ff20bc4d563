-- asked: Customers of 2023 who did not come back in 2024
-- source: SQL tutorial, except
SELECT customer_id FROM 'orders.csv' WHERE year(order_date) = 2023
EXCEPT
SELECT customer_id FROM 'orders.csv' WHERE year(order_date) = 2024
ORDER BY customer_id;
