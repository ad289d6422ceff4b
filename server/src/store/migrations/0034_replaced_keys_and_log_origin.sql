-- The key that replaced a regenerated one: its owner tells the two apart.
alter table chancery_access.api_key add column replaced_by text collate "C";

-- The client of a change: the family of its browser, and the network of its address (/24 of IPv4, /48 of IPv6). Never a full address.
alter table chancery_access.account_log add column browser text, add column network text;

-- Players read what the operator did with their keys. Lines of batches are many, and concern no player.
create index audit_log_subject on chancery_access.audit_log (subject collate "C") where action <> 'POST /facts';
