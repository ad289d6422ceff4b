import type { TestServer } from './test-server.ts'
import { until } from './until.ts'

/** The status, with the members from the database: on a busy machine a response may come before these were read. */
export async function readStatus<T = Record<string, unknown>>({
  operate,
}: Pick<TestServer, 'operate'>): Promise<T> {
  let status: Record<string, unknown> = {}
  await until(async () => {
    status = (await (await operate('GET', '/status')).json()) as Record<string, unknown>
    return status.seq !== undefined
  }, 'the status is complete')
  return status as T
}
