import type {
  AccountCodes,
  AccountEndpoint,
  AccountKey,
  AccountList,
  AccountLogEntry,
  AccountSession,
  DemoPlayer,
  EndpointDraft,
  Exploration,
  HandoverPreview,
  IssuedAccountCode,
  KeyUsage,
  LimitRequest,
  LoggedCall,
  NewAccountEndpoint,
  NewAccountKey,
  NewAccountKeyResponse,
  NewCode,
  PageInfo,
  ReplayRequest,
  TestedAccountEndpoint,
  WebhookDelivery,
} from '@chancery/contract'
import { queryString, type Request } from './request.ts'

const at = (...segments: string[]) => segments.map(segment => `/${encodeURIComponent(segment)}`).join('')

/** The operations of the account API. */
export function createClient(request: Request) {
  const get = <T>(path: string) => request<T>('GET', path)
  const post = <T>(path: string, body?: object) => request<T>('POST', path, body)
  const remove = (path: string) => request<void>('DELETE', path)

  return {
    page: () => get<PageInfo>('/page'),
    session: {
      read: () => get<AccountSession>('/session'),
      preview: (token: string) => post<HandoverPreview>('/handover', { token }),
      start: (token: string) => post<AccountSession>('/session', { token }),
      end: () => remove('/session'),
      endAll: () => post<void>('/session/end-all'),
      demoPlayers: (search: string) =>
        get<AccountList<DemoPlayer>>(`/demo/players${queryString({ search })}`),
      startDemo: (playerId: string) => post<AccountSession>('/demo/session', { player_id: playerId }),
    },
    codes: {
      list: () => get<AccountCodes>('/codes'),
      create: (body: NewCode) => post<IssuedAccountCode>('/codes', body),
      cancel: (id: string) => remove(at('codes', id)),
    },
    keys: {
      list: () => get<AccountList<AccountKey>>('/keys'),
      create: (body: NewAccountKey) => post<NewAccountKeyResponse>('/keys', body),
      rotate: (id: string, overlapHours: number) =>
        post<NewAccountKeyResponse>(at('keys', id, 'rotate'), { overlap_hours: overlapHours }),
      revoke: (id: string) => post<void>(at('keys', id, 'revoke')),
      revokePrivate: () => post<{ revoked: number }>('/keys/revoke-private'),
      requestLimit: (id: string, body: LimitRequest) => post<void>(at('keys', id, 'limit-request'), body),
      usage: (id: string) => get<KeyUsage>(at('keys', id, 'usage')),
    },
    calls: (filter: { keyId?: string | undefined; requestId?: string | undefined }) =>
      get<AccountList<LoggedCall>>(
        `/calls${queryString({ key_id: filter.keyId, request_id: filter.requestId })}`,
      ),
    webhooks: {
      list: () => get<AccountList<AccountEndpoint>>('/webhooks'),
      add: (body: EndpointDraft) => post<NewAccountEndpoint>('/webhooks', body),
      update: (id: string, body: EndpointDraft) => request<AccountEndpoint>('PUT', at('webhooks', id), body),
      test: (id: string) => post<TestedAccountEndpoint>(at('webhooks', id, 'test')),
      enable: (id: string) => post<TestedAccountEndpoint>(at('webhooks', id, 'enable')),
      disable: (id: string) => post<AccountEndpoint>(at('webhooks', id, 'disable')),
      rotate: (id: string) => post<AccountEndpoint & { secret: string }>(at('webhooks', id, 'rotate')),
      replay: (id: string, body: ReplayRequest) =>
        post<{ queued: number }>(at('webhooks', id, 'replay'), body),
      remove: (id: string) => remove(at('webhooks', id)),
      deliveries: (id: string, filter: { limit: number; state: string }) =>
        get<AccountList<WebhookDelivery>>(`${at('webhooks', id, 'deliveries')}${queryString(filter)}`),
    },
    explore: (kind: Exploration['resource'], id: string) =>
      get<Exploration>(`/explore${queryString({ kind, id })}`),
    log: () => get<AccountList<AccountLogEntry>>('/log'),
  }
}

export type Client = ReturnType<typeof createClient>
