-- asked: The second page of ten
-- source: Stack Overflow, paging
SELECT order_id, amount FROM 'orders.csv' ORDER BY amount DESC, order_id LIMIT 10 OFFSET 10;
