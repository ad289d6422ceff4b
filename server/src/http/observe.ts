import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServedRequest } from '../journal/request-ring.ts'
import { subjectOfAddress } from '../limits/index.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { RequestLog } from './request-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's id, for metrics and journal: a path could hold a code. */
    operation?: string
  }
  interface FastifyReply {
    /** For an answer that goes on for long: counts it when it begins, and not again when it ends. */
    noteOpening(): void
  }
}

export interface ObserverParts {
  metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  journal: { record(served: ServedRequest): void }
  requestLog?: RequestLog | undefined
}

/** What was answered beside the router. */
export type AnsweredBeside = Pick<ServedRequest, 'requestId' | 'status'> & { address: string | undefined }

/** Counts every answer by operation and status, and notes it in the journal. */
export interface Observer {
  /** Observes the answers of all routes. */
  watch(app: FastifyInstance): void
  answered(req: FastifyRequest, reply: FastifyReply): void
  answeredBeside(answer: AnsweredBeside): void
}

const noOperation = 'none'

/** What alerts ask for. A series that begins with its first failure has no increase that could be seen: these begin at zero. */
const alarming = [401, 500, 503]

export function createObserver({ metrics, journal, requestLog }: ObserverParts): Observer {
  const { requests, requestSeconds } = metrics
  const opened = new WeakSet<FastifyReply>()
  const begin = (operation: string) => {
    for (const status of alarming) requests.inc({ operation, status }, 0)
  }

  function answered(req: FastifyRequest, reply: FastifyReply): void {
    const operation = req.routeOptions.config.operation ?? noOperation
    const status = reply.statusCode
    // Not everybody who is answered has been let in as far as to be a viewer.
    const key = req.viewer?.kind === 'key' ? req.viewer.key : undefined
    requests.inc({ operation, status })
    requestLog?.response(req, reply)
    // Of all operations together, for 0.2 µs of processor time: the journal has each call.
    requestSeconds.observe(reply.elapsedTime / 1000)
    journal.record({
      requestId: req.id,
      keyId: key ? key.id : null,
      address: key ? '' : subjectOfAddress(req.ip),
      operation,
      status,
      durationMs: reply.elapsedTime,
      isDeprecated: reply.hasHeader('deprecation'),
    })
  }

  return {
    answered,

    watch(app) {
      begin(noOperation)
      app.addHook('onRoute', ({ config }) => {
        if (config?.operation !== undefined) begin(config.operation)
      })
      app.decorateReply('noteOpening', function () {
        opened.add(this)
        answered(this.request, this)
      })
      app.addHook('onResponse', (req, reply, done) => {
        if (!opened.has(reply)) answered(req, reply)
        done()
      })
    },

    answeredBeside({ requestId, status, address }) {
      requests.inc({ operation: noOperation, status })
      journal.record({
        requestId,
        keyId: null,
        address: subjectOfAddress(address ?? ''),
        operation: noOperation,
        status,
        durationMs: 0,
        isDeprecated: false,
      })
    },
  }
}
