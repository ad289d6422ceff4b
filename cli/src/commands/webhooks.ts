import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute } from '../format.ts'
import { type Owner, ownerOf, requiredOwnerOf, wordList } from '../options.ts'
import { listText } from '../table.ts'
import { clip } from '../untrusted-text.ts'
import { filterSummary, stateText, testText } from '../webhook-text.ts'
import { addDeliveryCommands } from './webhook-deliveries.ts'

export function addWebhooks(program: ChanceryCommand) {
  const webhooks = program
    .command('webhooks')
    .description('manage webhook endpoints of players, and show and replay deliveries')
  webhooks
    .command('add')
    .description('add an endpoint for a player and test it; its secret is shown once')
    .option('--nation <id>', 'for the leader of this nation')
    .option('--player <id>', 'for this player')
    .requiredOption('--url <url>', 'the URL of the receiver')
    .option('--types <a,b.*>', 'only these event kinds and families (default: all)', wordList)
    .option('--nations <a,b>', 'only events about one of these nations', wordList)
    .option('--alliances <a,b>', 'only events about one of these alliances', wordList)
    .option('--description <text>', 'its purpose')
    .prints(addEndpoint)
    .details(`
Events are delivered once the receiver has responded to a test with a status from 200 to 299: to the test
that is sent now, or to a later one (chancery webhooks test ID).

Examples:
  chancery webhooks add --nation n42 --url https://bot.example.com/events
  chancery webhooks add --nation n42 --url https://bot.example.com/wars \\
    --types 'war.*,strategic_weapon.launched' --alliances a1
  chancery webhooks add --player p7 --url https://bot.example.com/n1 --nations n1,n2 --json`)
  webhooks
    .command('list')
    .description('list the endpoints of a player, or all')
    .option('--nation <id>', 'of the leader of this nation')
    .option('--player <id>', 'of this player')
    .prints(listEndpoints)
    .details(`
An endpoint is unconfirmed until it responds to a test. A failing endpoint is disabled after some days: the
percentage is the part of that time that has passed.

Examples:
  chancery webhooks list --nation n42
  chancery webhooks list --json`)
  webhooks
    .command('test')
    .description('send a test event; an unconfirmed endpoint becomes active if it responds with 2xx')
    .argument('<id>', 'id of the endpoint')
    .prints(sendTest('webhooksTest'))
    .details(`${testHelp}\n  chancery webhooks test whe_5bqk2yVh0TzD`)
  webhooks
    .command('enable')
    .description('enable an endpoint if it responds to a test')
    .argument('<id>', 'id of the endpoint')
    .prints(sendTest('webhooksEnable'))
    .details(`${testHelp}\n  chancery webhooks enable whe_5bqk2yVh0TzD`)
  webhooks
    .command('disable')
    .description('disable an endpoint')
    .argument('<id>', 'id of the endpoint')
    .prints(disableEndpoint)
    .details('\nExamples:\n  chancery webhooks disable whe_5bqk2yVh0TzD')
  webhooks
    .command('remove')
    .description('remove an endpoint and its delivery log')
    .argument('<id>', 'id of the endpoint')
    .prints(removeEndpoint)
    .details('\nExamples:\n  chancery webhooks remove whe_5bqk2yVh0TzD')
  webhooks
    .command('rotate')
    .description('create a new secret for an endpoint; it is shown once')
    .argument('<id>', 'id of the endpoint')
    .prints(rotateSecret)
    .details(`
The previous secret keeps signing for 24 hours, so that the receiver can switch without missing a
message. Secrets rotated earlier keep signing until their own 24 hours end; at most 5 previous
secrets sign at a time.

Examples:
  chancery webhooks rotate whe_5bqk2yVh0TzD
  chancery webhooks rotate whe_5bqk2yVh0TzD --json`)
  addDeliveryCommands(webhooks)
}

const testHelp = `
The exit status is 1 unless the receiver responds with a status from 200 to 299.

Examples:`

interface AddOptions extends Owner {
  url: string
  types?: string[]
  nations?: string[]
  alliances?: string[]
  description?: string
}

async function addEndpoint({ call }: Context, options: AddOptions): Promise<Result> {
  const { url, types, nations, alliances, description } = options
  const owner = requiredOwnerOf(options, 'endpoint')
  const body = { ...owner, url, description, types, nation_ids: nations, alliance_ids: alliances }
  const endpoint = await call(operatorOperations.webhooksAdd, { body })
  const { id, secret, ...rest } = endpoint
  const text = [
    `id      ${id}`,
    `secret  ${secret}`,
    '',
    'Store the secret now: it is not shown again. The receiver verifies signatures with it.',
    '',
    testText(endpoint, endpoint.test),
  ]
  return [{ id, secret, ...rest }, text.join('\n')]
}

const urlLengthMax = 48

async function listEndpoints({ call }: Context, options: Owner): Promise<Result> {
  const query = ownerOf(options) ?? {}
  const endpoints = await call(operatorOperations.webhooksList, { query })
  const head = ['ID', 'PLAYER', 'URL', 'EVENTS', 'STATE']
  const rows = endpoints.data.map(endpoint => [
    endpoint.id,
    endpoint.player_id,
    clip(endpoint.url, urlLengthMax),
    filterSummary(endpoint),
    stateText(endpoint, Date.now()),
  ])
  return [endpoints, listText(head, rows, 'no webhook endpoints')]
}

const sendTest =
  (operation: 'webhooksTest' | 'webhooksEnable') =>
  async ({ call }: Context, id: string): Promise<Result> => {
    const endpoint = await call(operatorOperations[operation], { id })
    const { test, status } = endpoint
    const text = test ? testText(endpoint, test) : `${endpoint.id} is already ${status}`
    return test?.has_arrived === false ? [endpoint, text, 'the test failed'] : [endpoint, text]
  }

async function disableEndpoint({ call }: Context, id: string): Promise<Result> {
  const endpoint = await call(operatorOperations.webhooksDisable, { id })
  const text = `${endpoint.id} is disabled; its pending deliveries have failed, and can be replayed after webhooks enable`
  return [endpoint, text]
}

async function removeEndpoint({ call }: Context, id: string): Promise<Result> {
  const removed = await call(operatorOperations.webhooksRemove, { id })
  return [removed, `${removed.id} is removed, with its delivery log`]
}

async function rotateSecret({ call }: Context, id: string): Promise<Result> {
  const endpoint = await call(operatorOperations.webhooksRotate, { id })
  const { secret, previous_secret_ends_at: endsAt } = endpoint
  const text = [
    secret,
    '',
    'Store it now: it is not shown again. The receiver verifies signatures with it.',
    ...(endsAt === null ? [] : [`The previous secret keeps signing until ${formatMinute(endsAt)} (UTC).`]),
  ]
  return [endpoint, text.join('\n')]
}
