import type { Client } from 'pg'

/** A table of the catalogs; texts are SQL, in a stable order. */
export interface Table {
  schema: string
  name: string
  isUnlogged: boolean
  /** Null: the migrating role. */
  owner: string | null
  options: string[] | null
  columns: string[]
  constraints: string[]
  indexes: string[]
  /** Extended statistics. They belong to the table's owner. */
  statistics: string[]
}

/** A function as PostgreSQL prints it. */
export interface FunctionText {
  schema: string
  /** With its schema and the types of its parameters. */
  signature: string
  definition: string
}

/** A trigger as PostgreSQL prints it. */
export interface TriggerText {
  schema: string
  definition: string
}

export interface Grant {
  /** `schema chancery_world`, a table's name with its schema, or `function` and its signature. */
  on: string
  role: string
  privileges: string[]
}

export interface Catalog {
  extensions: string[]
  schemas: string[]
  tables: Table[]
  functions: FunctionText[]
  triggers: TriggerText[]
  grants: Grant[]
}

export async function readCatalog(client: Client): Promise<Catalog> {
  // Names without a schema would depend on the search path.
  await client.query("set search_path to ''")
  const strays = await texts(client, strayQuery)
  if (strays.length > 0)
    throw new Error(`the dump does not support ${strays.join(', ')}: extend tools/schema/`)
  return {
    extensions: await texts(client, extensionQuery),
    schemas: await texts(client, schemaQuery),
    tables: (await client.query(tableQuery)).rows,
    functions: (await client.query(functionQuery)).rows,
    triggers: (await client.query(triggerQuery)).rows,
    grants: (await client.query(grantQuery)).rows,
  }
}

async function texts(client: Client, query: string): Promise<string[]> {
  return (await client.query({ text: query, rowMode: 'array' })).rows.map(([text]) => text)
}

const ours = `(select oid, nspname, nspacl, nspowner from pg_catalog.pg_namespace where nspname like 'chancery%')`

const extensionQuery = `select extname from pg_catalog.pg_extension where extname <> 'plpgsql' order by extname collate "C"`

const schemaQuery = `select nspname from ${ours} as schema order by nspname collate "C"`

/** PostgreSQL 18 keeps "not null" among the constraints, earlier ones with the column alone. */
const tableQuery = `
select
  schema.nspname as schema,
  tab.relname as name,
  tab.relpersistence = 'u' as "isUnlogged",
  nullif(pg_catalog.pg_get_userbyid(tab.relowner), current_user) as owner,
  tab.reloptions as options,
  array(
    select pg_catalog.concat_ws(' ',
      pg_catalog.quote_ident(col.attname),
      pg_catalog.format_type(col.atttypid, col.atttypmod),
      'collate ' || pg_catalog.quote_ident(coll.collname),
      'default ' || pg_catalog.pg_get_expr(def.adbin, def.adrelid),
      case col.attidentity when 'a' then 'generated always as identity' end,
      case when col.attnotnull then 'not null' end)
    from pg_catalog.pg_attribute as col
    join pg_catalog.pg_type as type on type.oid = col.atttypid
    left join pg_catalog.pg_collation as coll on coll.oid = col.attcollation and col.attcollation <> type.typcollation
    left join pg_catalog.pg_attrdef as def on def.adrelid = col.attrelid and def.adnum = col.attnum
    where col.attrelid = tab.oid and col.attnum > 0 and not col.attisdropped
    order by col.attnum
  ) as columns,
  array(
    select pg_catalog.format('constraint %I %s', con.conname, pg_catalog.pg_get_constraintdef(con.oid))
    from pg_catalog.pg_constraint as con
    where con.conrelid = tab.oid and con.contype <> 'n'
    order by con.contype <> 'p', con.conname collate "C"
  ) as constraints,
  array(
    select pg_catalog.pg_get_indexdef(ind.indexrelid)
    from pg_catalog.pg_index as ind
    where ind.indrelid = tab.oid
      and not exists (select from pg_catalog.pg_constraint as con where con.conindid = ind.indexrelid and con.conrelid = tab.oid)
    order by pg_catalog.pg_get_indexdef(ind.indexrelid) collate "C"
  ) as indexes,
  array(
    select pg_catalog.pg_get_statisticsobjdef(stat.oid)
    from pg_catalog.pg_statistic_ext as stat
    where stat.stxrelid = tab.oid
    order by stat.stxname collate "C"
  ) as statistics
from pg_catalog.pg_class as tab
join ${ours} as schema on schema.oid = tab.relnamespace
where tab.relkind = 'r'
order by schema.nspname collate "C", tab.relname collate "C"`

const signature = `pg_catalog.format('%I.%I(%s)', schema.nspname, proc.proname, pg_catalog.pg_get_function_identity_arguments(proc.oid))`

const functionQuery = `
select schema.nspname as schema, ${signature} as signature, pg_catalog.pg_get_functiondef(proc.oid) as definition
from pg_catalog.pg_proc as proc join ${ours} as schema on schema.oid = proc.pronamespace
where proc.prokind = 'f'
order by schema.nspname collate "C", proc.proname collate "C"`

const triggerQuery = `
select schema.nspname as schema, pg_catalog.pg_get_triggerdef(trig.oid) as definition
from pg_catalog.pg_trigger as trig
join pg_catalog.pg_class as tab on tab.oid = trig.tgrelid
join ${ours} as schema on schema.oid = tab.relnamespace
where not trig.tgisinternal
order by schema.nspname collate "C", tab.relname collate "C", trig.tgname collate "C"`

/** Privileges of the owner are left out: they are implied. */
const grantQuery = `
select object.name as on,
  coalesce(role.rolname, 'public') as role,
  array_agg(lower(acl.privilege_type) order by lower(acl.privilege_type) collate "C") as privileges
from (
  select pg_catalog.format('schema %I', nspname) as name, nspacl as acl, nspowner as owner from ${ours} as schema
  union all
  select pg_catalog.format('%I.%I', schema.nspname, tab.relname), tab.relacl, tab.relowner
  from pg_catalog.pg_class as tab join ${ours} as schema on schema.oid = tab.relnamespace
  union all
  -- A function without grants may be called by all.
  select pg_catalog.format('function %s', ${signature}),
    coalesce(proc.proacl, pg_catalog.acldefault('f', proc.proowner)), proc.proowner
  from pg_catalog.pg_proc as proc join ${ours} as schema on schema.oid = proc.pronamespace
) as object
cross join lateral pg_catalog.aclexplode(object.acl) as acl
left join pg_catalog.pg_roles as role on role.oid = acl.grantee
where acl.grantee <> object.owner
group by object.name, role.rolname
union all
select column_grant.on, column_grant.role, array_agg(column_grant.privilege order by column_grant.privilege collate "C")
from (
  select pg_catalog.format('%I.%I', schema.nspname, tab.relname) as on,
    coalesce(role.rolname, 'public') as role,
    pg_catalog.format('%s (%s)', lower(acl.privilege_type), string_agg(pg_catalog.quote_ident(col.attname), ', ' order by col.attnum)) as privilege
  from pg_catalog.pg_attribute as col
  join pg_catalog.pg_class as tab on tab.oid = col.attrelid
  join ${ours} as schema on schema.oid = tab.relnamespace
  cross join lateral pg_catalog.aclexplode(col.attacl) as acl
  left join pg_catalog.pg_roles as role on role.oid = acl.grantee
  group by 1, 2, acl.privilege_type
) as column_grant
group by column_grant.on, column_grant.role
order by 1, 2, 3`

/** Objects that the dump does not support and would leave out. */
const strayQuery = `
select pg_catalog.format('relation %I.%I of kind %s', schema.nspname, rel.relname, rel.relkind)
from pg_catalog.pg_class as rel join ${ours} as schema on schema.oid = rel.relnamespace
where rel.relrowsecurity or rel.relispartition or rel.relkind not in ('r', 'i')
  -- The sequence of an identity column is written with the column.
  and not (rel.relkind = 'S' and exists (
    select from pg_catalog.pg_depend as dep where dep.objid = rel.oid and dep.deptype = 'i'))
union all
select pg_catalog.format('function %I.%I', schema.nspname, proc.proname)
from pg_catalog.pg_proc as proc join ${ours} as schema on schema.oid = proc.pronamespace
where proc.prokind <> 'f' or pg_catalog.pg_get_userbyid(proc.proowner) <> current_user
union all
select pg_catalog.format('type %I.%I', schema.nspname, type.typname)
from pg_catalog.pg_type as type join ${ours} as schema on schema.oid = type.typnamespace
where type.typtype not in ('c', 'b')
union all
select pg_catalog.format('statistics %I.%I', schema.nspname, stat.stxname)
from pg_catalog.pg_statistic_ext as stat
join pg_catalog.pg_class as tab on tab.oid = stat.stxrelid
join ${ours} as schema on schema.oid = stat.stxnamespace
where stat.stxowner <> tab.relowner
union all
select pg_catalog.format('column %I.%I.%I, which is generated', schema.nspname, tab.relname, col.attname)
from pg_catalog.pg_attribute as col
join pg_catalog.pg_class as tab on tab.oid = col.attrelid
join ${ours} as schema on schema.oid = tab.relnamespace
where col.attgenerated <> '' or col.attidentity = 'd'
union all
select pg_catalog.format('default privileges in %I', schema.nspname)
from pg_catalog.pg_default_acl as acl join ${ours} as schema on schema.oid = acl.defaclnamespace`
