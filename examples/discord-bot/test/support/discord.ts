import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'

/** A request of the bot to Discord. */
export interface DiscordRequest {
  method: string
  path: string
  // Bodies are asserted member by member.
  // biome-ignore lint/suspicious/noExplicitAny: a body of any operation of Discord
  body: any
}

export const applicationId = '100000000000000001'
export const guildId = '200000000000000001'
export const channelId = '300000000000000001'
export const ownerId = '400000000000000001'
export const roleIds = { low: '500000000000000001', own: '500000000000000005', high: '500000000000000009' }

const role = (id: string, name: string, position: number) => ({ id, name, position, permissions: '0' })
export const guildRoles = [
  role(guildId, '@everyone', 0),
  role(roleIds.low, 'Citizen', 1),
  role(roleIds.own, 'Officer', 5),
  role(roleIds.high, 'Admin', 9),
]
export const user = (id: string) => ({ id, username: `user${id}`, discriminator: '0', avatar: null })
export const member = (id: string, roles: string[]) => ({
  user: user(id),
  roles,
  permissions: '8',
  joined_at: '2026-05-01T12:00:00Z',
  flags: 0,
})
const channel = { id: channelId, type: 0, name: 'war-room', guild_id: guildId, position: 0 }
const guild = {
  id: guildId,
  name: 'Guild',
  owner_id: ownerId,
  roles: guildRoles,
  channels: [channel],
  members: [member(applicationId, [roleIds.high])],
  emojis: [],
  stickers: [],
  unavailable: false,
}
/** With the members that discord.py requires. */
const application = {
  id: applicationId,
  name: 'Bot',
  description: '',
  icon: null,
  owner: user(ownerId),
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: '',
}
export const message = (more: object = {}) => ({
  id: '600000000000000001',
  channel_id: channelId,
  author: user(applicationId),
  content: '',
  timestamp: '2026-05-27T18:00:00Z',
  edited_timestamp: null,
  type: 0,
  pinned: false,
  mention_everyone: false,
  tts: false,
  attachments: [],
  embeds: [],
  mentions: [],
  mention_roles: [],
  ...more,
})

export type FakeDiscord = Awaited<ReturnType<typeof fakeDiscord>>

/** Discord as a bot sees it: its REST API and its gateway, with one guild, on this machine. */
export async function fakeDiscord() {
  const requests: DiscordRequest[] = []
  const received = new EventEmitter().setMaxListeners(0)
  /** Roles that members have. */
  const memberRoles = new Map<string, Set<string>>()
  /** Roles that the bot cannot assign. */
  const tooHigh = new Set<string>()
  const state = { isDown: false }
  let gateway: WebSocket | undefined
  let sequence = 0
  const identified = Promise.withResolvers<void>()

  const server = createServer(async (req, res) => {
    const path = decodeURIComponent(req.url ?? '').replace(/^\/api\/v\d+|\?.*$/g, '')
    const hasBody = Number(req.headers['content-length'] ?? 0) > 0
    const request: DiscordRequest = {
      method: req.method ?? '',
      path,
      body: hasBody ? await json(req) : undefined,
    }
    requests.push(request)
    const [status, body] = /[?&]with_response=(1|true)/.test(req.url ?? '')
      ? [200, { interaction: { id: '1', type: 2 }, resource: { type: request.body.type } }]
      : responseTo(request)
    if (status === 204) res.writeHead(204).end()
    else res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    received.emit('request')
  })
  const send = (message: object) => gateway?.send(JSON.stringify(message))
  const dispatch = (type: string, data: object) => send({ op: 0, t: type, s: ++sequence, d: data })

  function responseTo({ method, path, body }: DiscordRequest): [number, unknown?] {
    const [, account, roleId] = /^\/guilds\/\d+\/members\/(\d+)(?:\/roles\/(\d+))?$/.exec(path) ?? []
    if (path === '/gateway/bot') {
      const session_start_limit = { total: 1000, remaining: 999, reset_after: 1, max_concurrency: 1 }
      return [200, { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit }]
    }
    if (account !== undefined) {
      const roles = memberRoles.get(account)
      if (state.isDown) return [400, { code: 0, message: 'Discord is unavailable' }]
      if (!roles) return [404, { code: 10007, message: 'Unknown Member' }]
      if (roleId === undefined) return [200, member(account, [...roles])]
      if (tooHigh.has(roleId)) return [403, { code: 50013, message: 'Missing Permissions' }]
      if (method === 'PUT') roles.add(roleId)
      else roles.delete(roleId)
      return [204]
    }
    if (path === '/users/@me') return [200, user(applicationId)]
    if (path.endsWith('/applications/@me')) return [200, application]
    if (path === `/channels/${channelId}`) return [200, channel]
    if (path.endsWith('/commands')) return [200, []]
    if (path.endsWith('/callback')) return [204]
    if (path.includes('/messages') || path.includes('/webhooks')) return [200, message(body)]
    return [404, { code: 0, message: '404: Not Found' }]
  }

  new WebSocketServer({ server }).on('connection', socket => {
    gateway = socket
    socket.on('message', text => {
      const { op } = JSON.parse(String(text)) as { op: number }
      if (op === 1) send({ op: 11 })
      if (op !== 2) return
      dispatch('READY', {
        v: 10,
        user: { ...user(applicationId), bot: true },
        guilds: [{ id: guildId, unavailable: true }],
        session_id: 's',
        resume_gateway_url: `ws://127.0.0.1:${port}`,
        application: { id: applicationId, flags: 0 },
      })
      dispatch('GUILD_CREATE', guild)
      identified.resolve()
    })
    send({ op: 10, d: { heartbeat_interval: 40_000 } })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    rest: { api: `http://127.0.0.1:${port}/api`, globalRequestsPerSecond: 10_000 },
    requests,
    memberRoles,
    tooHigh,
    dispatch,
    /** The bot is connected to the gateway: it receives what is dispatched. */
    connected: identified.promise,
    /** Whether it rejects requests on members. */
    state,
    /** The first request that matches, once it has come. */
    async request(methods: string, path: RegExp): Promise<DiscordRequest> {
      const signal = AbortSignal.timeout(10_000)
      for (;;) {
        const found = requests.find(of => methods.includes(of.method) && path.test(of.path))
        if (found) return found
        await once(received, 'request', { signal }).catch(() => {
          throw new Error(
            `no ${methods} ${path}, but ${requests.map(of => `${of.method} ${of.path}`).join(', ')}`,
          )
        })
      }
    },
    async close() {
      gateway?.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
