-- Redaction and erasure: what they reach beyond the world. The game's door has no right to keys, codes, sessions and webhooks, and gets
-- none: it may only call these two functions, which do one thing each.

-- Moves when the log was rewritten: whoever remembers pages of it reads them anew.
alter table chancery_world.pulse add column redaction_version bigint not null default 0;
-- Whatever the receiver of a delivery under way will answer may repeat a text that was taken back meanwhile.
alter table chancery_outbound.delivery add column drops_answers boolean not null default false;

create function chancery_secret.drop_answers(seqs bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update chancery_outbound.delivery set drops_answers = true where seq = any (seqs) and state = 'sending';
  update chancery_outbound.attempt a set answer = null
  from chancery_outbound.delivery d where d.id = a.delivery_id and d.seq = any (seqs) and a.answer is not null;
$$;
revoke all on function chancery_secret.drop_answers(bigint[]) from public;
grant execute on function chancery_secret.drop_answers(bigint[]) to chancery_ingest;

create function chancery_secret.forget_player(player text, nations text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from chancery_access.key_call c using chancery_access.api_key k where k.player_id = player and c.key_id = k.id;
  delete from chancery_access.key_minute m using chancery_access.api_key k where k.player_id = player and m.key_id = k.id;
  delete from chancery_access.key_hour h using chancery_access.api_key k where k.player_id = player and h.key_id = k.id;
  delete from chancery_access.api_key where player_id = player;
  delete from chancery_access.verification_code where player_id = player or nation_id = any (nations);
  delete from chancery_access.handover where player_id = player;
  delete from chancery_access.session where player_id = player;
  delete from chancery_access.suspension where player_id = player;
  delete from chancery_access.account_log where player_id = player;
  delete from chancery_outbound.attempt a using chancery_outbound.delivery d, chancery_outbound.endpoint e
  where e.player_id = player and d.endpoint_id = e.id and a.delivery_id = d.id;
  delete from chancery_outbound.delivery d using chancery_outbound.endpoint e where e.player_id = player and d.endpoint_id = e.id;
  delete from chancery_outbound.endpoint where player_id = player;
  -- Every process forgets what it remembers of keys.
  update chancery_access.pulse set version = version + 1;
  select pg_notify('chancery_pulse', '');
$$;
revoke all on function chancery_secret.forget_player(text, text[]) from public;
grant execute on function chancery_secret.forget_player(text, text[]) to chancery_ingest;
