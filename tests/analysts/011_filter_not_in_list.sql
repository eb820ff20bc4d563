-- asked: Everything but two states of an order
-- source: SQL tutorial, not in
SELECT status, COUNT(*) AS n FROM 'orders.csv' WHERE status NOT IN ('cancelled', 'pending') GROUP BY status ORDER BY n DESC, status;
