-- Each battle changes the numbers of its war. With room on the page a changed row finds place beside the old one, and the eight indexes of
-- wars are left alone.
alter table chancery_world.war set (fillfactor = 70);
