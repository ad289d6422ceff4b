import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { json } from 'node:stream/consumers'
import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'
import type { DoorAddress } from './environment.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The operator listener of the running service. */
export interface OperatorDoor {
  readonly url: string
  /** Begins a call; the caller writes, ends and reads. */
  open(method: Method, path: string, headers?: Record<string, string>): ClientRequest
  /** One small call and its JSON answer. Throws a CommandError for a refusal and for a silent service. */
  call(method: Method, path: string, body?: unknown): Promise<unknown>
}

export function openDoor({ url, token }: DoorAddress): OperatorDoor {
  const base = url.endsWith('/') ? url : `${url}/`
  const start = base.startsWith('https:') ? httpsRequest : httpRequest

  const open: OperatorDoor['open'] = (method, path, headers) => {
    const options: RequestOptions = {
      method,
      // Each call has a connection of its own: a kept one may be closed by the service as it is used again.
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    }
    const req = start(new URL(path.slice(1), base), options)
    // An answer may take long; that the other side has vanished is told by the system, within half a minute.
    req.setSocketKeepAlive(true, 10_000)
    return req
  }

  return {
    url,
    open,
    async call(method, path, body) {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const req = open(method, path, text === undefined ? {} : { 'content-type': 'application/json' })
      try {
        const answer = responseTo(req)
        req.end(text)
        const res = await answer
        if (!isSuccess(res)) throw await refusalOf(res)
        return await json(res)
      } catch (err) {
        throw explainSilence(err, url)
      }
    },
  }
}

export function responseTo(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    req.once('response', resolve)
    // Stays: after the response an error tells that sending failed, which the end of the response tells too.
    req.on('error', reject)
  })
}

export const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300

/** The service does not answer now, and may later. */
export class ServiceSilent extends CommandError {}

/** There is no such thing. */
export class NothingFound extends CommandError {}

/** The refusal that a response holds, as one line. */
export async function refusalOf(res: IncomingMessage): Promise<CommandError> {
  return refusalIn(res.statusCode ?? 0, await json(res).catch(() => undefined))
}

/** The same of an answer that was read. */
export function refusalIn(status: number, answer: unknown): CommandError {
  if (status === 401) {
    return new CommandError(
      'the operator token was rejected (401). Used: CHANCERY_OPERATOR_TOKEN, else CHANCERY_ADMIN_TOKEN, else operator-token in the data directory. Set a token of the running service',
    )
  }
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  const Refusal = refusals[status] ?? CommandError
  return new Refusal(
    typeof error.message === 'string'
      ? `${error.message} (${error.code}, request ${error.request_id})`
      : `the service answered ${status}: is this the operator address of a Chancery?`,
  )
}

const refusals: Record<number, typeof CommandError> = { 404: NothingFound, 503: ServiceSilent }

/** What a failed connection means; anything else stays as it is. */
export function explainSilence(err: unknown, url: string): unknown {
  if (err instanceof SyntaxError)
    return new CommandError(
      `${url} answers something other than JSON: is it the operator address of a Chancery?`,
    )
  if (!(err instanceof Error) || !('code' in err)) return err
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(String(err.code)))
    return new CommandError(
      `the certificate of ${url} is not trusted (${err.code}): CHANCERY_OPERATOR_URL must name a host that the certificate names, and NODE_EXTRA_CA_CERTS the file of an authority of your own`,
    )
  if (err.code === 'ECONNREFUSED' || err.code === 'ENOTFOUND' || err.code === 'EAI_AGAIN')
    return new ServiceSilent(
      `no Chancery answers at ${url} (${err.code}): start it, or set CHANCERY_OPERATOR_URL to the one that runs`,
    )
  return new ServiceSilent(`the connection to ${url} was cut (${err.code})`)
}
