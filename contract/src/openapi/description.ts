import { limits } from '../limits.ts'
import { operatorErrors } from '../operator/errors.ts'
import { operatorRoles } from '../operator/operation.ts'
import type { Profile } from '../profile/profile.ts'
import { errors } from '../public/errors.ts'
import { bases } from '../public/index.ts'
import type { Operation } from '../public/operation.ts'
import { scopes } from '../scopes.ts'
import type { ApiInfo } from './document.ts'

export const tagDescriptions: Record<Operation['tag'] | 'Webhooks', string> = {
  Nations: 'Nations, led by one player each, and their ranking.',
  Alliances: 'Alliances of nations and their members.',
  Treaties: 'Treaties between alliances or between nations, in force and ended.',
  Wars: 'Wars between nations, their battles, and the global conflicts they belong to.',
  Market: 'Prices and turnover of the game’s resources.',
  History: 'The event log and the news.',
  Copies: 'Changes since a snapshot of the world, for whole copies that stay current.',
  'Own nation': 'The nation of the key’s player, and the key itself.',
  Verification: 'Proof, for a chat bot, that a chat user leads a nation.',
  Game: 'The game, its terms and its eras.',
  Webhooks:
    'Requests that a webhook endpoint receives. Players register endpoints in the developer settings.',
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')

/** The API is offered by the game and serves its data. The description has the license of Chancery. */
export const offeredBy = ({ name, url }: Profile): Pick<ApiInfo, 'contact' | 'license'> => ({
  contact: { name, ...(url === null ? {} : { url }) },
  license: {
    name: 'Apache License 2.0, for this description; the data are the game’s',
    url: 'https://www.apache.org/licenses/LICENSE-2.0',
  },
})

/** What a developer needs before the first request, in Markdown. */
export const apiDescription = (
  gameName: string,
  serverUrl: string,
): string => `Read-only data of ${gameName}: nations, alliances, wars, the market, rankings, and the event log. The API cannot change anything in the game.

## First call

\`\`\`
curl '${serverUrl || 'https://game.example'}${bases.canonical}/nations?limit=3'
\`\`\`

\`${bases.canonical}\` and \`${bases.mirror}\` return the same responses and share their limits. Every operation is a GET; HEAD is supported unless an operation states otherwise.

## Responses

JSON in UTF-8. A single item is \`{ "data": { … } }\`; a list is \`{ "data": [ … ], "pagination": { "page", "limit", "total", "pages" } }\`. Times are RFC 3339 in UTC. Ids are opaque text. An absent field is withheld; \`null\` means none, or not known to the game. Fields, kinds of events and parameters may be added within a version: ignore unknown ones.

## Numbers

Every number comes back as the game sent it: read it as a 64-bit floating-point number. Integers are at most 2⁵³−1. A number with decimals has at most 15 digits, and at most the decimals of its schema's \`x-decimals\`. Scores are from −10¹⁵ to 10¹⁵ with up to 4 decimals. \`currency\` of \`/game\` states how many decimals money (\`decimals\`) and prices (\`price_decimals\`) have at most. A sum or an average of scores is exact in the database, and rounded to the nearest floating-point number in responses. A small number may have an exponent (\`1e-8\`).

## Parameters

A list parameter is comma-separated (\`ids=n1,n2\`) or repeated (\`ids=n1&ids=n2\`), with or without brackets (\`ids[]=n1&ids[]=n2\`); all forms are equivalent. \`ids=\` is an empty list, which selects nothing; any other empty text or id counts as absent. Unknown parameters are ignored, unless the name resembles a known one: it differs only in case, \`_\`, \`-\` or brackets, or in one letter (two letters in names of five or more). Such a request is rejected with 400, and the message suggests the name.

## Pages

\`page\` counts from ${limits.pageFirst}; \`limit\` is from ${limits.pageSizeMin} to ${limits.pageSizeMax}, ${limits.pageSizeDefault} by default; of a history up to ${limits.historyPageSizeMax}, ${limits.historyPageSizeDefault} by default. A page past the end is empty, not an error. Every list has a total order, stated in its operation.

## Keys and scopes

Most operations require no key. A key belongs to a player, who creates it in the developer settings and grants it scopes. Send it as \`Authorization: Bearer <API_KEY>\`, never in a URL. Requests with an unknown, revoked or expired key are rejected, never served as anonymous.

${table(
  ['Scope', 'Grants'],
  Object.entries(scopes).map(([scope, description]) => [`\`${scope}\``, description]),
)}

## Limits

${limits.anonymousCalls} calls per minute for each IP address without a key, ${limits.keyCalls} per minute for each key, unless the key has its own limit. A window of ${limits.windowSeconds} seconds starts with its first call. Every response has \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (Unix seconds). Above the limit the response is 429 with \`retry-after\`; the limit resets automatically.

## Caching

Responses that are the same for all callers have an \`ETag\`: send it back in \`If-None-Match\`, and the response is 304 without a body if nothing has changed. Cache them for ${limits.sharedCacheSeconds} seconds where \`cache-control\` allows it. Responses that require a key must not be stored.

## Following events

\`/events?after={seq}\` reads the event log without gaps or repeats. \`/events/stream\` sends the same events as they are logged, over one connection, and resumes after a disconnect. To receive events without polling, register a webhook in the developer settings: it receives the same events.

## Errors

Every error has the body \`{ "error": { "code", "message", "request_id" } }\`. Programs read \`code\`; \`message\` states what to do next; \`request_id\` is also the \`x-request-id\` header, for reports.

${table(
  ['Status', 'Code', 'What happened', 'What to do'],
  Object.entries(errors).map(([code, { status, description, fix }]) => [
    String(status),
    `\`${code}\``,
    description,
    fix,
  ]),
)}
`

/** What the developer of a game's backend needs before the first request, in Markdown. */
export const operatorDescription = (
  gameName: string,
): string => `The operator API of Chancery: the servers of ${gameName} send the game’s data through it, and operators manage keys, webhooks and the service. It belongs on a private network, never on the public internet.

## First call

\`\`\`
curl "$CHANCERY_OPERATOR_URL/status" \\
  -H "Authorization: Bearer $CHANCERY_OPERATOR_TOKEN"
\`\`\`

## Tokens and roles

Every operation requires a token, sent as \`Authorization: Bearer <token>\`. The one that Chancery is configured with (\`CHANCERY_ADMIN_TOKEN\`, or \`operator-token\` in the data directory) is named \`main\` and has every role. Create one for each service that uses this API, with the roles that it requires: \`chancery tokens create --name game-server --roles facts,identity\`. Tokens are stored as hashes. They may expire, can be rotated without downtime (\`rotate\`), and are revoked everywhere within a second (\`revoke\`).

${table(
  ['Role', 'May'],
  Object.entries(operatorRoles).map(([role, opens]) => [`\`${role}\``, opens]),
)}

A token of any role may read \`/status\`, which returns the members for its roles. Every request that may change something is recorded in the audit log.

## Facts

A fact states what is true now. Facts are sent in batches. A batch is applied as a whole or not at all, and exactly once however often it is sent: if you do not know whether a batch arrived, send it again. The id of a batch is stored for at least ${limits.batchIdDays} days. The schema of every fact of this game is at [/facts.schema.json](/facts.schema.json), and below as \`Fact\`.

## Responses

JSON in UTF-8. Times are RFC 3339 in UTC. Members may be added to responses within a version: ignore unknown ones. Unknown members and parameters in requests are rejected.

## Errors

Every error has the body \`{ "error": { "code", "message", "request_id" } }\`. Programs read \`code\`; \`message\` states what to do next. The result of a batch is not an error: it has its own statuses, see \`POST /facts\`.

${table(
  ['Status', 'Code', 'What happened', 'What to do'],
  Object.entries(operatorErrors).map(([code, { status, description, fix }]) => [
    String(status),
    `\`${code}\``,
    description,
    fix,
  ]),
)}
`
