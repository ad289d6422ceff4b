-- The order of the list of all members. The index by alliance and rank finds leaders.
create index alliance_member_order on chancery_world.alliance_member (alliance_id, nation_id);
