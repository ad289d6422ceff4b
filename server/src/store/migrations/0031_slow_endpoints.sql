-- When an attempt last took longer than a fast endpoint needs, and how many milliseconds; null where none has.

alter table chancery_outbound.endpoint add column slow_at timestamptz, add column slow_ms integer;
