import type { ChanceryCommand } from '../command.ts'
import { readServiceConfig, startService, tokenLocation, whileRunning } from '../service.ts'
import { listenForStop } from '../stop.ts'
import { print, type Terminal } from '../terminal.ts'

export function addServe(program: ChanceryCommand) {
  const { terminal } = program
  program
    .command('serve')
    .description('run the service from configuration')
    .option('--migrate', 'apply migrations first (always done for the bundled database)', false)
    .option('--json', 'print the addresses as one JSON document', false)
    .action((options: ServeOptions) => serve(options, terminal))
    .details(`
Configuration comes from CHANCERY_… variables; docs/operations lists them. Without
CHANCERY_DATABASE_URL it runs the bundled PostgreSQL, stored in CHANCERY_DATA_DIR (.chancery).

Examples:
  chancery serve
  CHANCERY_DATABASE_URL=postgres://chancery@db/chancery chancery serve --migrate
  CHANCERY_PORT=8443 CHANCERY_TLS_CERT=cert.pem CHANCERY_TLS_KEY=key.pem chancery serve`)
}

interface ServeOptions {
  migrate: boolean
  json: boolean
}

async function serve({ migrate, json }: ServeOptions, terminal: Terminal) {
  const stop = listenForStop(terminal)
  const config = await readServiceConfig(terminal.env, { host: '0.0.0.0', migrates: migrate })
  const service = await startService(config)
  const { publicUrl, operatorUrl } = service
  await whileRunning(service, stop, async () => {
    const document = { public: publicUrl, operator: operatorUrl, operator_token: tokenLocation(config) }
    const text = `public    ${publicUrl}\noperator  ${operatorUrl} (token: ${tokenLocation(config)})`
    print(terminal, json, document, text)
    await stop.requested
    if (stop.allowsDrain()) await service.drain()
  })
}
