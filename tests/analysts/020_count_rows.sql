-- asked: How many rows has the file
-- source: SQL tutorial, count
select count(*) from 'flights.csv';
