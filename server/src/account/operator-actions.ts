import {
  type AccountLogEntry,
  type OperatorAction,
  type OperatorOperation,
  operatorOperations,
} from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'

/** The operations of the operator API that players find in their account log. The subject is a player, a key or an endpoint. */
const operations: Record<OperatorAction, Pick<OperatorOperation, 'method' | 'path'>> = {
  'operator.suspended': operatorOperations.playersSuspend,
  'operator.resumed': operatorOperations.playersResume,
  'operator.key_created': operatorOperations.keysCreate,
  'operator.key_limited': operatorOperations.keysSetLimit,
  'operator.key_revoked': operatorOperations.keysRevoke,
  'operator.webhook_added': operatorOperations.webhooksAdd,
  'operator.webhook_enabled': operatorOperations.webhooksEnable,
  'operator.webhook_disabled': operatorOperations.webhooksDisable,
  'operator.webhook_removed': operatorOperations.webhooksRemove,
  'operator.webhook_rotated': operatorOperations.webhooksRotate,
  'operator.webhook_replayed': operatorOperations.webhooksReplay,
}

/** As it is in the audit log. */
const auditActionOf = ({ method, path }: Pick<OperatorOperation, 'method' | 'path'>) => `${method} ${path}`

const actions = new Map(
  Object.entries(operations).map(([action, operation]) => [
    auditActionOf(operation),
    action as OperatorAction,
  ]),
)
const ofPlayers = [operatorOperations.playersSuspend, operatorOperations.playersResume].map(auditActionOf)
const ofItems = [...actions.keys()].filter(action => !ofPlayers.includes(action))

interface Selection {
  playerId: string
  /** The player's present endpoints. Removed ones are known by their lines in the account log. */
  endpointIds: string[]
  days: number
  limit: number
}

/** Bounds what one request reads, however many keys and lines a player has. */
const keysRead = 200
const linesRead = 2_000

/**
 * What the operator did for a player, newest first: from the audit log, without the operator's token. An endpoint that the operator
 * added and removed again is not found: only its audit lines are left, which do not name the player.
 */
export async function listOperatorLines(
  db: Database,
  { playerId, endpointIds, days, limit }: Selection,
): Promise<AccountLogEntry[]> {
  const rows = await db.rows<{ at: string; action: string; subject: string; detail: string | null }>(sql`
    select l.at, l.action, l.subject, k.name as detail
    from chancery_access.audit_log l left join chancery_access.api_key k on k.id = l.subject
    where l.subject collate "C" = any(array(
        select ${playerId}
        union (select id from chancery_access.api_key where player_id = ${playerId} order by created_at desc limit ${keysRead})
        union select subject from (
          select subject, action from chancery_access.account_log where player_id = ${playerId} order by id desc limit ${linesRead}) own
        where action like 'webhook.%'
        union select unnest(${endpointIds}::text[])))
      -- The condition of the index: literally, so that every plan can use it.
      and l.action <> 'POST /facts'
      and l.action = any(case when l.subject = ${playerId} then ${ofPlayers}::text[] else ${ofItems}::text[] end)
      and l.status between 200 and 299 and l.at > clock_timestamp() - make_interval(days => ${days})
    order by l.id desc limit ${limit}`)
  return rows.flatMap(({ at, action: auditAction, subject, detail }) => {
    const action = actions.get(auditAction)
    return action ? [{ at, action, subject, detail, by: 'operator', browser: null, network: null }] : []
  })
}
