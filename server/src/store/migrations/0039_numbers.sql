-- Numbers have the range and the decimals of the contract: no column limits them further. No large table is rewritten.
alter table chancery_world.nation
  alter column national_score type numeric,
  alter column land_area type numeric;
alter table chancery_world.nation_ranking
  alter column national_score type numeric,
  alter column current_score type numeric;
alter table chancery_world.battle
  alter column infrastructure_destroyed type numeric;
alter table chancery_world.market_price
  alter column price type numeric,
  alter column best_bid type numeric,
  alter column best_ask type numeric,
  alter column high_24h type numeric,
  alter column low_24h type numeric,
  alter column traded_value_24h type numeric,
  alter column change_24h_percent type numeric,
  alter column reference_price type numeric;
