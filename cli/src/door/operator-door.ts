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
    return start(new URL(path.slice(1), base), options)
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

/** The refusal that a response holds, as one line. */
export async function refusalOf(res: IncomingMessage): Promise<CommandError> {
  if (res.statusCode === 401) {
    res.resume()
    return new CommandError(
      'the service refuses the operator token: CHANCERY_OPERATOR_TOKEN, or operator-token in the data directory, must be that of the running service',
    )
  }
  const answer: unknown = await json(res).catch(() => undefined)
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  return new CommandError(
    typeof error.message === 'string'
      ? `${error.message} (${error.code}, request ${error.request_id})`
      : `the service answered ${res.statusCode}: is this the operator address of a Chancery?`,
  )
}

/** What a failed connection means; anything else stays as it is. */
export function explainSilence(err: unknown, url: string): unknown {
  if (err instanceof SyntaxError)
    return new CommandError(
      `${url} answers something other than JSON: is it the operator address of a Chancery?`,
    )
  if (!(err instanceof Error) || !('code' in err)) return err
  if (err.code === 'ECONNREFUSED' || err.code === 'ENOTFOUND' || err.code === 'EAI_AGAIN')
    return new CommandError(
      `no Chancery answers at ${url} (${err.code}): start it, or set CHANCERY_OPERATOR_URL to the one that runs`,
    )
  return new CommandError(`the connection to ${url} was cut (${err.code})`)
}
