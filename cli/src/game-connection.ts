import {
  defaultPacing,
  gameProtocols,
  type Pacing,
  type ServiceClient,
  ServiceUnavailableError as ServiceRetryError,
} from '@chancery/connect'
import { type Contract, contractFor, demoProfile } from '@chancery/contract'
import { CommandError } from './command-error.ts'
import { readProfile } from './game-profile.ts'
import {
  NotFoundError,
  type OperatorClient,
  openOperatorClient,
  ServiceUnavailableError,
} from './operator-client/operator-client.ts'
import { sendFacts } from './operator-client/send-facts.ts'

/** What pull and outbox connect: the game's database, and the service with the contract of that game. */
interface GameConnection {
  url: string
  contract: Contract
  client: ServiceClient
}

export const connectGame = async (
  env: NodeJS.ProcessEnv,
  protocols?: readonly string[],
): Promise<GameConnection> => ({
  url: gameUrl(env, protocols),
  contract: await gameContract(env),
  client: createServiceClient(await openOperatorClient(env)),
})

/** The contract of the game that the service is configured for. */
export async function gameContract({ CHANCERY_GAME_FILE: file }: NodeJS.ProcessEnv): Promise<Contract> {
  return contractFor(file ? await readProfile(file) : demoProfile)
}

const postgresProtocols = ['postgres:', 'postgresql:']

/** Throws a CommandError that states how to name the game's database. */
export function gameUrl(
  { CHANCERY_GAME_DATABASE_URL: url = '' }: NodeJS.ProcessEnv,
  protocols: readonly string[] = postgresProtocols,
): string {
  const protocol = URL.parse(url)?.protocol ?? ''
  if (protocols.includes(protocol)) return url
  if (gameProtocols.includes(protocol))
    throw new CommandError(
      'the outbox needs PostgreSQL: connect another database with chancery pull, or send facts with @chancery/game',
    )
  const example = protocols.includes('mysql:') ? ', mysql://user@host or sqlite:/path/game.db' : ''
  throw new CommandError(
    `CHANCERY_GAME_DATABASE_URL must be the address of the game's own database, as postgres://user@host/database${example}`,
  )
}

export const pacingOf = (everySeconds: number): Pacing => ({ ...defaultPacing, everyMs: everySeconds * 1000 })

/** The operator client in the form that pull and outbox take: its errors say whether a retry may succeed. */
export function createServiceClient(client: OperatorClient): ServiceClient {
  return {
    async *send(facts, options) {
      try {
        yield* sendFacts(client, facts, options)
      } catch (err) {
        throw asRetryable(err)
      }
    },
    async call(operation, ...request) {
      try {
        return await client.call(operation, ...request)
      } catch (err) {
        if (err instanceof NotFoundError) return undefined
        throw asRetryable(err)
      }
    },
  }
}

const asRetryable = (err: unknown) =>
  err instanceof ServiceUnavailableError ? new ServiceRetryError(err.message) : err
