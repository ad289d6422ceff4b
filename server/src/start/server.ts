import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '@chancery/contract'
import { createKeyCache } from '../access/key-cache.ts'
import { pruneAccounts } from '../account/forget.ts'
import { readLogo } from '../account/page/logo.ts'
import { buildApi } from '../api.ts'
import { canServePages } from '../docs/built-pages.ts'
import type { ConnectionTimings } from '../http/connections.ts'
import { reasonOf } from '../http/errors.ts'
import type { StreamTimings } from '../http/open-streams.ts'
import {
  createFactValidator,
  type DroppedDeadLetter,
  deleteOldBatchIds,
  deleteOldDeadLetters,
  removeTemporaryLeftovers,
} from '../ingest/index.ts'

import { createDropMetrics, startRequestLog } from '../journal/request-log.ts'
import { createOperator, warnIfExposed } from '../operator/operator-api.ts'
import { adoptProfile } from '../profile/adopt-profile.ts'
import { startRankingRounds } from '../rankings/rounds.ts'
import { appendToLedgerFile, completeLedgerFile, type LedgerEntry } from '../redaction/ledger.ts'
import { isUnavailable, sql } from '../store/database.ts'
import { readMigrationNumber } from '../store/migrations.ts'
import { openStore } from '../store/open-store.ts'
import { createLog, createLogDestination } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createTaskFailures } from '../telemetry/task-failures.ts'
import { deleteOldCodes } from '../verification/store.ts'
import { pruneDeliveryLog } from '../webhooks/delivery-log.ts'
import { startWebhooks } from '../webhooks/webhooks.ts'
import { readCertificate, watchCertificate } from './certificates.ts'
import type { Config } from './config.ts'
import { readContract } from './contract.ts'
import { ensureDataDir, writeAddresses } from './data-dir.ts'
import { connectDatabase } from './database.ts'
import { createLimits } from './limits.ts'
import { closeGracefully, listen, sendConnectionClose, warnIfConnectionsLost } from './listener.ts'
import { readMainToken } from './main-token.ts'
import { StartupError } from './startup-error.ts'

/** A server that answers on both listeners. */
export interface RunningServer {
  publicUrl: string
  operatorUrl: string
  operatorToken: string
  /** No batch was ever applied. */
  isEmptyWorld: boolean
  /** The version of the world that this process knows; undefined while it does not hear the database. */
  worldVersion(): number | undefined
  /** Resolves when it has ended, by `close` or because a part that it cannot do without is gone. */
  closed: Promise<void>
  /**
   * Goes on answering for CHANCERY_DRAIN_SECONDS, while it says that it is on its way out: /readyz is 503, and every answer
   * closes its connection. Then it may be closed, and nobody was there any more.
   */
  drain(): Promise<void>
  close(): Promise<void>
}

const housekeepingEveryMs = 3_600_000

/** Times that no operator sets, and that a test cannot wait for. */
export interface ServerTimings {
  streamTimings?: Partial<StreamTimings>
  connectionTimings?: Partial<ConnectionTimings>
  certificatesEveryMs?: number
  /** Between two ranking rounds, however long they work. */
  rankingPauseMs?: number
  /** How many times as long as usual the database is waited for. */
  databaseTimeoutFactor?: number
  /** How long the store of shared limits is waited for. */
  limitsTimeoutMs?: number
}

/**
 * Starts the service from its configuration.
 * @throws {StartupError} where something outside is not as it must be: one line that says what to do.
 */
export async function startServer(
  config: Config,
  {
    streamTimings = {},
    connectionTimings = {},
    certificatesEveryMs,
    rankingPauseMs,
    databaseTimeoutFactor,
    limitsTimeoutMs,
  }: ServerTimings = {},
): Promise<RunningServer> {
  const metrics = createMetrics()
  const log = createLog(
    config.logLevel,
    createLogDestination(2, () => metrics.logLinesDropped.inc()),
  )
  for (const { name, nearest } of config.unknownVariables)
    log.warn({ variable: name, nearest }, 'a variable is unknown and has no effect')
  if (!canServePages()) log.error('the documentation pages are not built: run npm ci')
  const contract = await readContract(config.gameFile)
  const tls = config.tls && (await readCertificate(config.tls, 'CHANCERY_TLS'))
  const operatorTls =
    config.operatorTls && (await readCertificate(config.operatorTls, 'CHANCERY_OPERATOR_TLS'))
  const pageLogo = config.pageLogo === undefined ? undefined : await readLogo(config.pageLogo)

  // Whatever was opened is closed in the opposite order, also when a later part does not start.
  const closers: (() => Promise<unknown>)[] = []
  let isDraining = false
  let closing: Promise<void> | undefined
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const close = () => {
    isDraining = true
    closing ??= closeAll(closers).then(onClosed)
    return closing
  }

  try {
    await ensureDataDir(config.dataDir)
    await removeTemporaryLeftovers()
    const store = await openStore(config, message => log.info(message))
    closers.push(store.close)
    store.onExit(reason => {
      log.fatal({ reason }, 'the bundled database has ended')
      void close()
    })
    await adoptProfile(store.target, contract.profile, { isDefault: config.gameFile === undefined })

    const database = await connectDatabase(
      {
        target: store.target,
        namesStatements: config.databaseNamesStatements,
        timeoutFactor: databaseTimeoutFactor,
      },
      { log, metrics },
    )
    closers.push(database.close)
    const { pools, pulse, background } = database

    const limits = await createLimits(config.valkeyUrl, { log, metrics, timeoutMs: limitsTimeoutMs })
    closers.push(() => limits.close())
    const failures = createTaskFailures({ log, reasonOf, isUnavailable })
    closers.push(async () => failures.close())
    const keys = createKeyCache({ db: pools.access, pulse, now: pulse.now, onError: failures.of('keys') })
    closers.push(keys.close)
    const requestLog = startRequestLog({
      pool: pools.access,
      rowsMax: config.journalRows,
      now: pulse.now,
      onDropped: createDropMetrics(metrics.registry),
      onError: failures.of('request log'),
    })
    closers.push(requestLog.close)
    const webhooks = startWebhooks({
      ...config,
      contract,
      pools,
      pulse,
      metrics,
      version,
      log: background,
      onError: failures.of('webhooks'),
    })
    closers.push(webhooks.close)

    let publicUrl = config.publicUrl ?? ''
    const app = buildApi({
      ...config,
      streamTimings,
      connectionTimings,
      contract,
      pools,
      pulse,
      keys,
      limits,
      log,
      metrics,
      journal: requestLog,
      account: {
        requestLog,
        webhooks: webhooks.settings,
        demoSignIn: config.demoSignIn,
        webhooksAllowLocal: config.webhooksAllowLocal,
        pageColor: config.pageColor,
        pageLogo,
      },
      tls,
      publicUrl: () => publicUrl,
      isDraining: () => isDraining,
    })
    const operatorToken = await readMainToken(config, pools.access)
    const ingest = {
      pool: pools.ingest,
      contract,
      validate: createFactValidator(contract),
      recordRedactions: (notes: LedgerEntry[]) => appendToLedgerFile(config.dataDir, notes),
      onDropped: (dropped: readonly DroppedDeadLetter[]) => {
        metrics.deadLettersDropped.inc(dropped.length)
        for (const { id, feed, facts, bytes } of dropped)
          log.warn(
            { batch: id, feed, facts, bytes },
            'dropped a refused batch, or its facts: the dead-letter store is full',
          )
      },
    }
    const operator = createOperator({
      contract,
      pools,
      target: store.target,
      pulse,
      ingest,
      metrics,
      webhooks: webhooks.settings,
      webhookQueue: webhooks.queue,
      requestLog,
      publicUrl: () => publicUrl,
      version,
      migration: await readMigrationNumber(store.target),
      mainToken: operatorToken,
      tls: operatorTls,
      connectionTimings,
      log,
      onError: failures.of('operator log'),
    })
    closers.push(operator.close)

    await completeLedgerFile(
      config.dataDir,
      await pools.ingest.rows<LedgerEntry>(
        sql`select op, at, fact from chancery_secret.redaction order by number`,
      ),
    )

    const rounds = startRankingRounds({
      pool: pools.ingest,
      pulse,
      onRound: seconds => {
        metrics.rankingRounds.observe(seconds)
        background.rankingRound(seconds)
      },
      onError: failures.of('ranking rounds'),
      pause: rankingPauseMs === undefined ? undefined : () => rankingPauseMs,
    })
    closers.push(rounds.close)
    const onError = failures.of('housekeeping', housekeepingEveryMs)
    const housekeeping = setInterval(() => {
      deleteOldCodes(pools.access).catch(onError)
      pruneAccounts(pools.access).catch(onError)
      pruneDeliveryLog(pools.outbound, pulse.now()).catch(onError)
      deleteOldBatchIds(pools.ingest).catch(onError)
      deleteOldDeadLetters(pools.ingest).catch(onError)
      operator.prune().catch(onError)
    }, housekeepingEveryMs)
    closers.push(async () => clearInterval(housekeeping))

    const scheme = tls ? 'https' : 'http'
    const isShared = config.sharesPorts
    if (isShared) await warnIfConnectionsLost(log)
    const { host, port, operatorHost, operatorPort } = config
    const publicAddress = await listen(app, scheme, { host, port, isShared, variable: 'CHANCERY_PORT' })
    // Before anything is served: pages that are made once have it in them.
    publicUrl ||= publicAddress
    closers.push(() => closeGracefully(app))
    warnIfExposed(log, { host: operatorHost, hasTls: operatorTls !== undefined })
    const operatorUrl = await listen(operator.app, operatorTls ? 'https' : 'http', {
      host: operatorHost,
      port: operatorPort,
      isShared,
      variable: 'CHANCERY_OPERATOR_PORT',
    })
    closers.push(() => closeGracefully(operator.app))
    for (const [server, files, current] of [
      [app.server, config.tls, tls],
      [operator.app.server, config.operatorTls, operatorTls],
    ] as const) {
      if (files && current)
        closers.push(watchCertificate(server, { files, current, everyMs: certificatesEveryMs, log }))
    }
    const drain = async () => {
      isDraining = true
      sendConnectionClose(app)
      sendConnectionClose(operator.app)
      await Promise.race([sleep(config.drainSeconds * 1_000, undefined, { ref: false }), closed])
    }
    await writeAddresses(config.dataDir, { public: publicAddress, operator: operatorUrl })

    const batch = await pools.ingest.first(sql`select from chancery_secret.batch limit 1`)
    const isEmptyWorld = batch === undefined
    const worldVersion = () => pulse.current()?.worldVersion
    return { publicUrl, operatorUrl, operatorToken, isEmptyWorld, worldVersion, closed, drain, close }
  } catch (error) {
    await close()
    throw isUnavailable(error)
      ? new StartupError('the database fell silent during the start: start again when it answers')
      : error
  }
}

async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closers.reverse()) await close().catch(() => undefined)
}

/** Reads the files that the variables beginning with `prefix` name. */
