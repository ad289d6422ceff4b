import type { MirrorRow } from './mirror-row.ts'
import { type MirroredResource, mirrored, mirroredResources } from './mirrored.ts'

/**
 * The SQLite file of a mirror. Each resource has a table or view (id, json) of its name. Rows of a snapshot are staged in tables of their
 * own, and replace the former copy in one transaction. The position in the change log changes in the same transaction as the rows, so the
 * file is whole whenever the process ends. chancery.py has the same file format.
 */
export interface MirrorFile {
  /** The change up to which the copy has all changes; undefined before the first snapshot is installed. */
  readonly position: number | undefined
  /** The snapshot that was installed last. */
  readonly snapshotId: string | undefined
  get(resource: MirroredResource, id: string): string | undefined
  list(resource: MirroredResource): IterableIterator<string>
  /** Applies changes that lead from the present position to another one. */
  apply(changes: Changes, position: number): void
  /** The files of a snapshot that are staged already. Drops those of another one. */
  stagedFiles(snapshotId: string): Set<string>
  /** Stages a file, if `rows` ends without an error. */
  stage(resource: MirroredResource, path: string, rows: AsyncIterable<MirrorRow[]>): Promise<void>
  /** Replaces the copy by the staged rows. */
  install(snapshotId: string, position: number): Promise<void>
  close(): void
}

export interface Changes {
  put: Map<MirroredResource, MirrorRow[]>
  deleted: Map<MirroredResource, string[]>
}

type Value = string | number
/** What is used of `node:sqlite`; browsers do not have its types. */
interface Statement {
  run(...values: Value[]): { changes: number | bigint }
  get(...values: Value[]): Record<string, Value> | undefined
  iterate(...values: Value[]): IterableIterator<Record<string, Value>>
}
interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** Of a format that a later version reads too. */
const formatVersion = 1
/** Rows that are copied at once: other work of the process waits for them. */
const copiedAtOnce = 2_000

const columnsOf = (resource: MirroredResource) =>
  mirrored[resource].score === undefined ? ['id', 'json'] : ['id', 'head', 'score', 'tail']
/** The table of a resource. Of a ranked one it has no ranks, and a view of the resource's name adds them. */
const tableOf = (resource: MirroredResource) =>
  mirrored[resource].score === undefined ? resource : `${resource}_item`
const stagedTableOf = (resource: MirroredResource) => `${resource}_staged`
const tableSql = (resource: MirroredResource, table: string) =>
  `create table if not exists ${table} (${columnsOf(resource)
    .map(name => (name === 'id' ? 'id text primary key' : `${name} ${name === 'score' ? 'real' : 'text'}`))
    .join(' not null, ')} not null);`
const insertSql = (resource: MirroredResource, table: string) => {
  const columns = columnsOf(resource)
  return `insert or replace into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
}

function schemaSql(resource: MirroredResource): string {
  const table = tableOf(resource)
  return table === resource
    ? tableSql(resource, table)
    : `${tableSql(resource, table)}
      create index if not exists ${table}_score on ${table} (score);
      create view if not exists ${resource} (id, json) as
        select id, head || rank() over (order by score desc) || tail from ${table};`
}

/** A single item is ranked by the number of higher scores: the view would rank all. */
const getSql = (resource: MirroredResource) =>
  tableOf(resource) === resource
    ? `select json from ${resource} where id = ?`
    : `select head || (select count(*) + 1 from ${tableOf(resource)} o where o.score > i.score) || tail as json
      from ${tableOf(resource)} i where id = ?`

/**
 * Opens the file, and creates it if it does not exist. `source` names what it is a copy of: a file of another source starts again from a
 * snapshot.
 */
export function openMirrorFile(path: string, source: string): MirrorFile {
  const Database = databaseClass()
  const writer = new Database(path)
  writer.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 10000;')
  const statements = new Map<string, Statement>()
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? writer.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const begin = () => writer.exec('begin immediate')
  const rollback = () => {
    try {
      writer.exec('rollback')
    } catch {
      // SQLite has done so itself, as it does when the disk is full.
    }
  }
  const transaction = (work: () => void) => {
    begin()
    try {
      work()
      writer.exec('commit')
    } catch (error) {
      rollback()
      throw error
    }
  }
  const state = (name: string) => {
    const value = prepared('select value from mirror where name = ?').get(name)?.value
    return value === undefined ? undefined : String(value)
  }
  const setState = (name: string, value: Value) =>
    prepared('insert or replace into mirror (name, value) values (?, ?)').run(name, String(value))
  const readPosition = () => {
    const value = state('position')
    return value === undefined ? undefined : Number(value)
  }
  const dropStaged = () => {
    for (const resource of mirroredResources) writer.exec(`drop table if exists ${stagedTableOf(resource)}`)
    writer.exec("delete from mirror where name like 'staged%'")
  }

  transaction(() => {
    writer.exec('create table if not exists mirror (name text primary key, value text not null)')
    for (const resource of mirroredResources) writer.exec(schemaSql(resource))
    const stored = `${formatVersion} ${source}`
    if (state('source') === stored) return
    dropStaged()
    writer.exec("delete from mirror where name in ('position', 'snapshot')")
    setState('source', stored)
  })
  // Another connection, so that readers never see rows of an open transaction.
  const reader = new Database(path)
  let position = readPosition()

  /** Two processes that write one file would each overwrite newer rows of the other. */
  function advance(to: number): void {
    if (readPosition() !== position)
      throw new Error(`${path} is written by another mirror at the same time. Use one file for each.`)
    setState('position', to)
  }

  return {
    get position() {
      return position
    },
    get snapshotId() {
      return state('snapshot')
    },

    get(resource, id) {
      const json = reader.prepare(getSql(resource)).get(id)?.json
      return json === undefined ? undefined : String(json)
    },

    *list(resource) {
      for (const { json } of reader.prepare(`select json from ${resource}`).iterate()) yield String(json)
    },

    apply({ put, deleted }, to) {
      transaction(() => {
        advance(to)
        for (const [resource, rows] of put) {
          const insert = prepared(insertSql(resource, tableOf(resource)))
          for (const { values } of rows) insert.run(...values)
        }
        for (const [resource, keys] of deleted) {
          const remove = prepared(`delete from ${tableOf(resource)} where id = ?`)
          for (const key of keys) remove.run(key)
        }
      })
      position = to
    },

    stagedFiles(snapshotId) {
      if (state('staged_snapshot') !== snapshotId)
        transaction(() => {
          dropStaged()
          setState('staged_snapshot', snapshotId)
        })
      const names = writer.prepare("select value from mirror where name like 'staged_file %'").iterate()
      return new Set([...names].map(({ value }) => String(value)))
    },

    async stage(resource, path, rows) {
      const table = stagedTableOf(resource)
      begin()
      try {
        writer.exec(tableSql(resource, table))
        const insert = writer.prepare(insertSql(resource, table))
        for await (const some of rows) for (const { values } of some) insert.run(...values)
        setState(`staged_file ${path}`, path)
        writer.exec('commit')
      } catch (error) {
        rollback()
        throw error
      }
    },

    async install(snapshotId, to) {
      begin()
      try {
        advance(to)
        for (const resource of mirroredResources) await replaceRows(resource)
        dropStaged()
        setState('snapshot', snapshotId)
        writer.exec('commit')
      } catch (error) {
        rollback()
        throw error
      }
      position = to
    },

    close() {
      reader.close()
      writer.close()
    },
  }

  /** Copies rather than renames, so that indexes and views that others made stay. */
  async function replaceRows(resource: MirroredResource): Promise<void> {
    const staged = stagedTableOf(resource)
    writer.exec(`${tableSql(resource, staged)} delete from ${tableOf(resource)};`)
    const columns = columnsOf(resource).join(', ')
    const copy = writer.prepare(
      `insert into ${tableOf(resource)} (${columns}) select ${columns} from ${staged} where rowid > ? and rowid <= ?`,
    )
    const last = Number(writer.prepare(`select max(rowid) as last from ${staged}`).get()?.last ?? 0)
    for (let row = 0; row < last; row += copiedAtOnce) {
      copy.run(row, row + copiedAtOnce)
      await new Promise(resolve => setTimeout(resolve))
    }
  }
}

/** The class of Node's SQLite. It is looked up at run time, so that bundles for browsers do not contain an import of it. */
function databaseClass(): new (path: string) => Database {
  const { process } = globalThis as {
    process?: {
      getBuiltinModule?(name: string): { DatabaseSync: new (path: string) => Database } | undefined
    }
  }
  const sqlite = process?.getBuiltinModule?.('node:sqlite')
  if (!sqlite)
    throw new Error('mirror needs node:sqlite, which this runtime does not have. Use Node 22.13 or newer.')
  return sqlite.DatabaseSync
}
