import { limits } from '../limits.ts'
import { operatorErrors } from '../operator/errors.ts'
import { operatorRoles } from '../operator/roles.ts'
import type { Profile } from '../profile/profile.ts'
import { errors } from '../public/errors.ts'
import { bases } from '../public/index.ts'
import type { Operation } from '../public/operation.ts'
import { scopes } from '../scopes.ts'
import type { ApiInfo } from './document.ts'

export const tagDescriptions: Record<Operation['tag'], string> = {
  Nations: 'Nations, led by one player each, and their ranking.',
  Alliances: 'Alliances of nations and their members.',
  Wars: 'Wars of nation on nation, their battles, and the global conflicts they belong to.',
  Market: 'Prices and turnover of the game’s resources.',
  History: 'What happened: the log of events, and the news.',
  'Own nation': 'What a key opens of its player’s own nation, and what the key itself is.',
  Verification: 'Proof, for a chat bot, that somebody leads a nation.',
  Game: 'The game, its words and its eras.',
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')

/** Who offers the API: the game, whose data it answers with. The description is Chancery's, and as free as Chancery. */
export const offeredBy = ({ name, url }: Profile): Pick<ApiInfo, 'contact' | 'license'> => ({
  contact: { name, ...(url === null ? {} : { url }) },
  license: {
    name: 'Apache License 2.0, for this description; the data are the game’s',
    url: 'https://www.apache.org/licenses/LICENSE-2.0',
  },
})

/** What a stranger needs before the first call, in Markdown. */
export const apiDescription = (
  gameName: string,
  serverUrl: string,
): string => `Read-only data of ${gameName}: nations, alliances, wars, the market, rankings, and everything that happens. Nothing in the game can be changed through this API.

## First call

\`\`\`
curl '${serverUrl || 'https://game.example'}${bases.canonical}/nations?limit=3'
\`\`\`

\`${bases.canonical}\` and \`${bases.mirror}\` answer identically and share their limits. Every operation is a GET; HEAD is answered like GET unless an operation says otherwise.

## Answers

JSON in UTF-8. One thing is \`{ "data": { … } }\`; many things are \`{ "data": [ … ], "pagination": { "page", "limit", "total", "pages" } }\`. Times are RFC 3339 in UTC. Ids are opaque text. Absent means withheld; \`null\` means none, or not known to the game. Fields, kinds of events and parameters may be added within a version: ignore those that you do not know.

## Parameters

A parameter that takes a list is comma separated (\`ids=n1,n2\`), or repeated (\`ids=n1&ids=n2\`), with or without brackets (\`ids[]=n1&ids[]=n2\`); the answer is the same. \`ids=\` is an empty list, which selects nothing; any other text or id that is empty counts as not given. Unknown parameters are ignored, unless the name is a near miss of a known one: the same but for case, \`_\`, \`-\` or brackets, or one letter off, two letters from five on. That is 400 with the name that may be meant.

## Pages

\`page\` counts from ${limits.pageFirst}; \`limit\` is from ${limits.pageSizeMin} to ${limits.pageSizeMax}, ${limits.pageSizeDefault} by default. A page past the end is empty, not an error. Every list has a total order, which its operation states.

## Keys and scopes

Most operations need no key. A key belongs to a player, who makes it in the developer settings and grants it scopes. Send it as \`Authorization: Bearer <API_KEY>\`, never in a URL. A key that is wrong, revoked or expired is refused; it is never treated as no key.

${table(
  ['Scope', 'Opens'],
  Object.entries(scopes).map(([scope, description]) => [`\`${scope}\``, description]),
)}

## Limits

${limits.anonymousCalls} calls a minute for each IP address without a key, ${limits.keyCalls} a minute for each key, unless the key has a limit of its own. A window of ${limits.windowSeconds} seconds begins with the first call in it. Every answer carries \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (Unix seconds). Beyond the limit the answer is 429 with \`retry-after\`; waiting is all it takes.

## Caching

Answers that are the same for everybody carry an \`ETag\`: send it back in \`If-None-Match\`, and an unchanged answer is 304 without a body. Keep them for ${limits.sharedCacheSeconds} seconds where \`cache-control\` says so. Answers that need a key are never to be kept.

## Following what happens

\`/events?after={seq}\` follows the log without gap or repeat. \`/events/stream\` tells the same as it happens, over one connection, and takes a reader up where it left off. For what must be known at once, register a webhook in the developer settings: it is told the same events, and no polling is needed.

## Errors

Every error has the body \`{ "error": { "code", "message", "request_id" } }\`. Programs read \`code\`; \`message\` says what to do next; \`request_id\` is also the \`x-request-id\` header, for reports.

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

/** What the author of a game's backend needs before the first call, in Markdown. */
export const operatorDescription = (
  gameName: string,
): string => `The private door of Chancery: by it the servers of ${gameName} say what happens in the game, and operators look after keys, webhooks and the service. It belongs on a private network, never on the public internet.

## First call

\`\`\`
curl "$CHANCERY_OPERATOR_URL/status" \\
  -H "Authorization: Bearer $CHANCERY_OPERATOR_TOKEN"
\`\`\`

## Tokens and roles

Every operation needs a token, sent as \`Authorization: Bearer <token>\`. The one that Chancery is configured with (\`CHANCERY_ADMIN_TOKEN\`, or \`operator-token\` in the data directory) is named \`main\` and may do everything. Make one for each service that comes in by this door, with the roles that it needs: \`chancery tokens create --name game-server --roles facts,identity\`. Tokens are stored hashed, may end by themselves, are replaced without a break (\`rotate\`) and end everywhere within a second (\`revoke\`).

${table(
  ['Role', 'May'],
  Object.entries(operatorRoles).map(([role, opens]) => [`\`${role}\``, opens]),
)}

A token of any role may read \`/status\`, which shows each role the members that it needs. Whatever a token does that may change something is in the operator log.

## Facts

A fact says what is true now. Facts come in batches: each is applied whole or not at all, and once, however often it is sent: so whoever does not know whether a batch arrived sends it again. A batch is known by its id for ${limits.batchIdDays} days at least. The schema of every fact of this game is at [/facts.schema.json](/facts.schema.json), and below as \`Fact\`.

## Answers

JSON in UTF-8. Times are RFC 3339 in UTC. Members may be added to answers within a version: ignore those that you do not know. In what is sent, an unknown member or parameter is refused.

## Errors

Every error has the body \`{ "error": { "code", "message", "request_id" } }\`. Programs read \`code\`; \`message\` says what to do next. What became of a batch is no error but an outcome, with statuses of its own: see \`POST /facts\`.

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
