import { limits } from '../../limits.ts'
import { operatorErrors } from '../errors.ts'
import { operatorRoles } from '../roles.ts'

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')

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
