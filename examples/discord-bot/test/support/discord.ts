import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

/** A call of the bot to Discord. */
export interface Call {
  method: string
  path: string
  // Bodies are asserted member by member.
  // biome-ignore lint/suspicious/noExplicitAny: a body of any operation of Discord
  body: any
}

/** Discord as a bot sees it: its REST API and its gateway, with one guild, on this machine. */
export interface FakeDiscord {
  api: string
  calls: Call[]
  /** Roles that members have. */
  memberRoles: Map<string, Set<string>>
  /** Roles that the bot may not hand out. */
  tooHigh: Set<string>
  dispatch(type: string, data: object): void
  /** The first call that fits, once it has come. */
  call(method: string, path: RegExp, after?: number): Promise<Call>
  close(): Promise<void>
}

export const applicationId = '100000000000000001'
export const guildId = '200000000000000001'
export const channelId = '300000000000000001'
export const ownerId = '400000000000000001'
export const roleIds = { low: '500000000000000001', own: '500000000000000005', high: '500000000000000009' }

const role = (id: string, name: string, position: number) => ({
  id,
  name,
  position,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  managed: false,
  mentionable: false,
  permissions: '0',
  flags: 0,
})
export const user = (id: string, username = `user${id}`) => ({
  id,
  username,
  discriminator: '0',
  global_name: null,
  avatar: null,
})
export const member = (id: string, roles: string[]) => ({
  user: user(id),
  roles,
  joined_at: '2026-01-01T00:00:00Z',
  deaf: false,
  mute: false,
  flags: 0,
  permissions: '8',
})
const channel = {
  id: channelId,
  type: 0,
  name: 'war-room',
  guild_id: guildId,
  position: 0,
  permission_overwrites: [],
}
export const guildRoles = [
  role(guildId, '@everyone', 0),
  role(roleIds.low, 'Citizen', 1),
  role(roleIds.own, 'Officer', 5),
  role(roleIds.high, 'Admin', 9),
]
const guild = {
  id: guildId,
  name: 'Guild',
  owner_id: ownerId,
  roles: guildRoles,
  channels: [channel],
  members: [member(applicationId, [roleIds.high])],
  emojis: [],
  stickers: [],
  features: [],
  threads: [],
  presences: [],
  voice_states: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
  member_count: 2,
  unavailable: false,
}
export const message = (more: object = {}) => ({
  id: '600000000000000001',
  channel_id: channelId,
  author: user(applicationId),
  content: '',
  timestamp: '2026-05-27T18:00:00Z',
  edited_timestamp: null,
  tts: false,
  mention_everyone: false,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  pinned: false,
  type: 20,
  ...more,
})

export async function fakeDiscord(): Promise<FakeDiscord> {
  const calls: Call[] = []
  const memberRoles = new Map<string, Set<string>>()
  const tooHigh = new Set<string>()
  let gateway: WebSocket | undefined
  let sequence = 0

  const server = createServer(async (req, res) => {
    const path = decodeURIComponent(req.url ?? '')
      .replace(/^\/api\/v\d+/, '')
      .replace(/\?.*$/, '')
    const hasBody = Number(req.headers['content-length'] ?? 0) > 0
    const call = { method: req.method ?? '', path, body: hasBody ? await json(req) : undefined }
    calls.push(call)
    const [status, body] = responseTo(call)
    if (status === 204) res.writeHead(204).end()
    else res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })

  function responseTo({ method, path, body }: Call): [number, unknown] {
    const at = (pattern: RegExp) => pattern.exec(path)?.slice(1)
    if (path === '/gateway/bot') {
      const session_start_limit = { total: 1000, remaining: 999, reset_after: 1, max_concurrency: 1 }
      const { port } = server.address() as AddressInfo
      return [200, { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit }]
    }
    const [, account, roleId] = at(/^\/guilds\/(\d+)\/members\/(\d+)(?:\/roles\/(\d+))?$/) ?? []
    if (account !== undefined) {
      const roles = memberRoles.get(account)
      if (!roles) return [404, { code: 10007, message: 'Unknown Member' }]
      if (roleId === undefined) return [200, member(account, [...roles])]
      if (tooHigh.has(roleId)) return [403, { code: 50013, message: 'Missing Permissions' }]
      if (method === 'PUT') roles.add(roleId)
      else roles.delete(roleId)
      return [204, undefined]
    }
    if (path === `/channels/${channelId}`) return [200, channel]
    if (path.endsWith('/commands')) return [200, []]
    if (path.endsWith('/callback')) return [204, undefined]
    if (path.includes('/messages')) return [200, message(body)]
    return [404, { code: 0, message: '404: Not Found' }]
  }

  new WebSocketServer({ server }).on('connection', socket => {
    gateway = socket
    socket.on('message', text => {
      const { op } = JSON.parse(String(text)) as { op: number }
      if (op === 1) send({ op: 11 })
      if (op === 2) {
        dispatch('READY', {
          v: 10,
          user: { ...user(applicationId, 'bot'), bot: true },
          guilds: [{ id: guildId, unavailable: true }],
          session_id: 's',
          resume_gateway_url: `ws://127.0.0.1`,
          application: { id: applicationId, flags: 0 },
        })
        dispatch('GUILD_CREATE', guild)
      }
    })
    send({ op: 10, d: { heartbeat_interval: 40_000 } })
  })

  const send = (message: object) => gateway?.send(JSON.stringify(message))

  function dispatch(type: string, data: object) {
    sequence += 1
    send({ op: 0, t: type, s: sequence, d: data })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    api: `http://127.0.0.1:${port}/api`,
    calls,
    memberRoles,
    tooHigh,
    dispatch,
    async call(method, path, after = 0) {
      for (let attempt = 0; attempt < 150; attempt += 1) {
        const found = calls.slice(after).find(of => of.method === method && path.test(of.path))
        if (found) return found
        await sleep(20)
      }
      throw new Error(
        `no ${method} ${path} within three seconds, but ${calls.map(of => `${of.method} ${of.path}`).join(', ')}`,
      )
    },
    async close() {
      gateway?.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
