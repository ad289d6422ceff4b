-- Counts treaties by status, and all of them: the indexes that have an order are seven times as large.
create index treaty_status_alone on chancery_world.treaty (status);
