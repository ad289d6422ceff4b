-- The blocks of the log so far. By itself, because it takes long: adding a column locks the pulse.
do $$
declare
  numbers record;
  blocks bigint := (select (seq + 1) / 32768 from chancery_world.pulse);
begin
  for numbers in select seq / 32768 as block from chancery_world.event where seq < blocks * 32768 group by 1 loop
    insert into chancery_world.event_block (filter, value, block, bits)
    select filter, value, numbers.block,
      ('x' || string_agg(repeat('00', gap) || lpad(to_hex(bits), 2, '0'), '' order by byte) || repeat('00', 4095 - max(byte)))::bit(32768)
    from (
      select filter, value, byte, bits,
        byte - 1 - coalesce(lag(byte) over (partition by filter, value order by byte), -1) as gap
      from (
        select i.filter, i.value, (e.seq % 32768 / 8)::integer as byte, bit_or(128 >> (e.seq % 8)::integer) as bits
        from chancery_world.event e, lateral (
          select 'type' as filter, e.type as value
          union all select 'alliance_id', jsonb_array_elements_text(e.alliance_ids)
        ) i
        where e.seq >= numbers.block * 32768 and e.seq < (numbers.block + 1) * 32768 group by 1, 2, 3
      ) filled
    ) placed
    group by 1, 2;
  end loop;
  update chancery_world.pulse set event_blocks_end = blocks * 32768;
end $$;
