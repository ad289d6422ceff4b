import pg from 'pg'
import { type ConnectionTarget, type Database, databaseOver, sessionOptions } from './database.ts'
import { isQueryTimeout } from './database-errors.ts'

/** The pulse's own connection: nobody stands before it in a line. */
export interface PulseConnection {
  /** Asks over the connection, made anew where it broke; whatever fails ends it. One question at a time, which may be asked twice. */
  ask<T>(question: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface PulseConnectionOptions {
  target: ConnectionTarget
  channel: string
  onNotice: () => void
  /** How long a connection or an answer is waited for. */
  timeoutMs: number
  namesStatements: boolean
}

export function keepPulseConnection(options: PulseConnectionOptions): PulseConnection {
  const { target, channel, onNotice, timeoutMs, namesStatements } = options
  /** The one that is open, or being opened. */
  let current: pg.Client | undefined
  let isClosed = false

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...target,
      options: sessionOptions({ role: 'chancery_access', statementTimeoutMs: timeoutMs }),
      application_name: 'chancery pulse',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    })
    current = client
    client.on('notification', onNotice)
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    await client.connect()
    await client.query(`listen ${channel}`)
    return client
  }

  function drop(client: pg.Client): void {
    if (current === client) current = undefined
    client.end().catch(() => undefined)
  }

  async function askOn<T>(client: pg.Client, question: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await question(databaseOver(client, namesStatements))
    } catch (error) {
      drop(client)
      throw error
    }
  }

  async function askAnew<T>(question: (db: Database) => Promise<T>): Promise<T> {
    const client = await connect().catch(error => {
      if (current) drop(current)
      throw error
    })
    return askOn(client, question)
  }

  return {
    async ask(question) {
      if (isClosed) throw new Error('the pulse is closed')
      if (!current) return askAnew(question)
      return askOn(current, question).catch(error => {
        // One that was ended while nobody asked says nothing of the database.
        if (isClosed || isQueryTimeout(error)) throw error
        return askAnew(question)
      })
    },
    async close() {
      isClosed = true
      await current?.end().catch(() => undefined)
    },
  }
}
