import { openTestPostgres, type TestPostgres } from './test-postgres.ts'

/** Files of a test run are processes of their own: they find the server by this variable. */
export const templateVariable = 'CHANCERY_TEST_TEMPLATE_URL'

let server: TestPostgres | undefined

/** Called by `node --test --test-global-setup` before the first file. */
export async function globalSetup(): Promise<void> {
  server = await openTestPostgres()
  process.env[templateVariable] = server.templateUrl
}

/** Called after the last file, also when tests failed or the run was interrupted. */
export async function globalTeardown(): Promise<void> {
  await server?.close()
}
