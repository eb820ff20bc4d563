-- asked: Rows of one species with a long bill
-- source: pandas, boolean indexing as SQL
select species, island, bill_length_mm
from 'penguins.csv'
where species = 'Gentoo' and bill_length_mm > 54
order by bill_length_mm desc;
