/**
 * The composition root: reads the configuration, opens every part in the order of its dependencies, and closes them in reverse (graceful shutdown).
 * Start reading at `startServer`. A failure outside of the program (a port, a file, the database) is a StartupError of one line that says
 * what to do.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '@chancery/contract'
import { createKeyCache } from '../access/key-cache.ts'
import { startLimitRequestNotifier } from '../access/limit-request-notifier.ts'
import { readLogo } from '../account/page/page.ts'
import { buildApi } from '../api.ts'
import { createChangeHorizon } from '../changes/change-horizon.ts'
import { canServePages } from '../docs/built-pages.ts'
import type { ConnectionTimings } from '../http/connections.ts'
import { reasonOf } from '../http/http-error.ts'
import type { StreamTimings } from '../http/open-streams.ts'
import { watchFailovers } from '../ingest/continue-numbers.ts'
import type { IngestContext } from '../ingest/process-batch.ts'
import { startRetries } from '../ingest/retry-set-aside.ts'
import { removeTemporaryLeftovers } from '../ingest/spool.ts'
import { createFactValidator } from '../ingest/validate-fact.ts'
import { createAddressLimits, withAddressLimits } from '../limits/address-limits.ts'
import { createOperator, warnIfExposed } from '../operator/operator-api.ts'
import { adoptProfile } from '../profile/adopt-profile.ts'
import { startRankingRounds } from '../rankings/round-scheduler.ts'
import { appendToLedgerFile, completeLedgerFile, readLedger } from '../redaction/ledger.ts'
import { createDropMetrics, startRequestLog } from '../request-log/request-log.ts'
import { importDay, type PastNation } from '../resources/history/record-day.ts'
import { startSnapshots } from '../snapshots/schedule.ts'
import { isUnavailable, sql } from '../store/database.ts'
import { lastMigration, readDatabaseId } from '../store/migrations.ts'
import { openStore } from '../store/open-store.ts'
import { createLog, createLogDestination } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createTaskFailures } from '../telemetry/task-failures.ts'
import { startWebhooks } from '../webhooks/webhooks.ts'
import { readAdminToken } from './admin-token.ts'
import { readCertificate, watchCertificate } from './certificates.ts'
import type { Config } from './config.ts'
import { connectDatabase } from './connect-database.ts'
import { readContract } from './contract.ts'
import { ensureDataDir, writeAddresses } from './data-dir.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createLimits } from './limits.ts'
import { closeGracefully, listen, sendConnectionClose, warnIfConnectionsLost } from './listener.ts'
import { StartupError } from './startup-error.ts'

export interface RunningServer {
  publicUrl: string
  operatorUrl: string
  operatorToken: string
  /** No batch was ever applied. */
  isEmptyWorld: boolean
  /** The world version that this process has; undefined while the database does not respond. */
  worldVersion(): number | undefined
  /** Writes the points of a past day that has none into the histories of nations and alliances: of all nations of that day. */
  importDay(day: string, nations: readonly PastNation[]): Promise<void>
  /** Resolves when the server has closed: by `close`, or because the bundled PostgreSQL exited. */
  closed: Promise<void>
  /** Makes a snapshot now, also when none is due. */
  makeSnapshot(): Promise<void>
  /** Keeps serving for CHANCERY_DRAIN_SECONDS while /readyz is 503 and every response closes its connection. Call `close` after it. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** Times that have no variable and that tests shorten. */
export interface ServerTimings {
  streamTimings?: Partial<StreamTimings>
  connectionTimings?: Partial<ConnectionTimings>
  certificatesEveryMs?: number
  /** Between two ranking rounds. */
  rankingPauseMs?: number
  /** After how long all processes return a changed item. Default: how long they trust a heartbeat. */
  changeDelayMs?: number
  /** After the first facts. */
  firstSnapshotAfterMs?: number
  /** How long a snapshot waits for a ranking round. */
  snapshotLockTimeoutMs?: number
  /** Between two retries of facts that were set aside. */
  retryPauseMs?: number
  /** Multiplies every timeout of the database. */
  databaseTimeoutFactor?: number
  /** For a command of the shared rate limit store. */
  limitsTimeoutMs?: number
}

/**
 * Starts the service.
 * @throws {StartupError}
 */
export async function startServer(config: Config, timings: ServerTimings = {}): Promise<RunningServer> {
  const { streamTimings = {}, connectionTimings = {}, rankingPauseMs, retryPauseMs } = timings
  const metrics = createMetrics()
  const log = createLog(
    config.logLevel,
    createLogDestination(2, () => metrics.logLinesDropped.inc()),
  )
  for (const { name, nearest } of config.unknownVariables)
    log.warn({ variable: name, nearest }, 'unknown environment variable: it has no effect')
  if (!canServePages()) log.error('the documentation pages are not built: run npm ci')
  const contract = await readContract(config.gameFile)
  const tls = config.tls && (await readCertificate(config.tls, 'CHANCERY_TLS'))
  const operatorTls =
    config.operatorTls && (await readCertificate(config.operatorTls, 'CHANCERY_OPERATOR_TLS'))
  const pageLogo = config.pageLogo === undefined ? undefined : await readLogo(config.pageLogo)

  const closers: (() => unknown)[] = []
  /** Registers a part to be closed with the server, also when a later part fails to start. */
  const own = <T extends { close(): unknown }>(part: T): T => {
    closers.unshift(() => part.close())
    return part
  }
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
    const store = own(await openStore(config, message => log.info(message)))
    store.onExit(reason => {
      log.fatal({ reason }, 'the bundled PostgreSQL exited')
      void close()
    })
    const { target } = store
    await adoptProfile(target, contract.profile, { isDefault: config.gameFile === undefined })
    const { pools, pulse, reads, background } = own(
      await connectDatabase(
        {
          target,
          namesStatements: config.databaseNamesStatements,
          timeoutFactor: timings.databaseTimeoutFactor,
          replicaUrls: config.readDatabaseUrls,
          lagMaxMs: config.replicaLagMaxMs,
        },
        { log, metrics },
      ),
    )

    const sharedLimits = own(
      await createLimits(config.valkeyUrl, {
        databaseId: () => readDatabaseId(target),
        log,
        metrics,
        timeoutMs: timings.limitsTimeoutMs,
      }),
    )
    const failures = own(createTaskFailures({ log, reasonOf, isUnavailable }))
    const addressLimits = own(
      createAddressLimits({ db: pools.access, pulse, onError: failures.of('address limits') }),
    )
    await addressLimits.refresh()
    const limits = withAddressLimits(sharedLimits, addressLimits)
    const keys = own(
      createKeyCache({ db: pools.access, pulse, now: pulse.now, onError: failures.of('keys') }),
    )
    const requestLog = own(
      startRequestLog({
        pool: pools.access,
        rowsMax: config.requestLogRowsMax,
        now: pulse.now,
        onDropped: createDropMetrics(metrics.registry),
        onError: failures.of('request log'),
      }),
    )
    const webhooks = own(
      startWebhooks({
        ...config,
        contract,
        pools,
        pulse,
        metrics,
        version,
        log: background,
        onError: failures.of('webhooks'),
      }),
    )

    const hasReplicas = config.readDatabaseUrls.length > 0
    const staleMs = Math.max(pulse.trustedMs, hasReplicas ? config.replicaLagMaxMs : 0)
    const horizon = own(createChangeHorizon({ pulse, staleMs: timings.changeDelayMs ?? staleMs }))
    let publicUrl = config.publicUrl ?? ''
    const app = buildApi({
      ...config,
      streamTimings,
      connectionTimings,
      contract,
      pools,
      pulse,
      reads,
      horizon,
      keys,
      limits,
      log,
      metrics,
      requestLog,
      account: {
        webhooks: webhooks.settings,
        requestLog,
        demoSignIn: config.demoSignIn,
        webhooksAllowLocal: config.webhooksAllowLocal,
        pageColor: config.pageColor,
        pageLogo,
      },
      tls,
      publicUrl: () => publicUrl,
      isDraining: () => isDraining,
    })
    const snapshots = own(
      startSnapshots({
        target,
        namesStatements: config.databaseNamesStatements,
        contract,
        pulse,
        pool: pools.ingest,
        log,
        onError: failures.of('snapshots'),
        firstAfterMs: timings.firstSnapshotAfterMs,
        lockTimeoutMs: timings.snapshotLockTimeoutMs,
      }),
    )
    const ingest: IngestContext = {
      pool: pools.ingest,
      contract,
      validate: createFactValidator(contract),
      beforeReset: () => snapshots.make('era_end').catch(failures.of('snapshots')),
      recordRedactions: entries => appendToLedgerFile(config.dataDir, entries),
      onDropped: dropped => {
        metrics.deadLettersDropped.inc(dropped.length)
        for (const { id, feed, facts, bytes } of dropped)
          log.warn(
            { batch: id, feed, facts, bytes },
            'the dead-letter store is full: dropped a rejected batch, or its facts',
          )
      },
    }
    const operatorToken = await readAdminToken(config, pools.access)
    const operator = own(
      createOperator({
        contract,
        pools,
        target,
        pulse,
        ingest,
        metrics,
        webhooks: webhooks.settings,
        webhookQueue: webhooks.queue,
        requestLog,
        addressLimits,
        publicUrl: () => publicUrl,
        version,
        migration: await lastMigration(),
        adminToken: operatorToken,
        tls: operatorTls,
        connectionTimings,
        log,
        onError: failures.of('audit log'),
      }),
    )
    await completeLedgerFile(config.dataDir, await readLedger(pools.ingest))
    own(
      startRankingRounds({
        pool: pools.ingest,
        pulse,
        onRound: seconds => {
          metrics.rankingRounds.observe(seconds)
          background.rankingRound(seconds)
        },
        onError: failures.of('ranking rounds'),
        pause: rankingPauseMs === undefined ? undefined : () => rankingPauseMs,
      }),
    )
    own(
      startRetries({
        context: ingest,
        pulse,
        onApplied({ status, facts, events }) {
          metrics.batches.inc({ status })
          metrics.facts.inc(facts)
          metrics.events.inc(events)
        },
        onError: failures.of('facts set aside'),
        pause: retryPauseMs === undefined ? undefined : () => retryPauseMs,
      }),
    )
    own(watchFailovers({ pool: pools.ingest, pulse, onError: failures.of('failovers') }))
    own(startHousekeeping({ ...config, contract, pools, pulse, operator, failures, log }))
    if (config.operatorWebhookUrl !== undefined)
      own(
        startLimitRequestNotifier({
          pool: pools.access,
          url: config.operatorWebhookUrl,
          publicUrl: () => publicUrl,
          onError: failures.of('operator webhook'),
        }),
      )

    const isShared = config.sharesPorts
    if (isShared) await warnIfConnectionsLost(log)
    const { host, port, operatorHost, operatorPort } = config
    const publicAddress = await listen(app, { host, port, isShared, variable: 'CHANCERY_PORT' })
    // Set before the first request: pages are rendered once, with the URL in them.
    publicUrl ||= publicAddress
    own({ close: () => closeGracefully(app) })
    warnIfExposed(log, { host: operatorHost, hasTls: operatorTls !== undefined })
    const operatorUrl = await listen(operator.app, {
      host: operatorHost,
      port: operatorPort,
      isShared,
      variable: 'CHANCERY_OPERATOR_PORT',
    })
    own({ close: () => closeGracefully(operator.app) })
    for (const [server, certificate] of [
      [app.server, tls],
      [operator.app.server, operatorTls],
    ] as const)
      if (certificate)
        own(watchCertificate(server, certificate, { everyMs: timings.certificatesEveryMs, log }))
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
    const makeSnapshot = () => snapshots.make('daily')
    return {
      publicUrl,
      operatorUrl,
      operatorToken,
      isEmptyWorld,
      worldVersion,
      makeSnapshot,
      importDay: (day, nations) => importDay(pools.ingest, day, nations),
      closed,
      drain,
      close,
    }
  } catch (error) {
    await close()
    throw isUnavailable(error)
      ? new StartupError('the database stopped responding during startup: start again when it is reachable')
      : error
  }
}

async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  for (const close of closers)
    await Promise.resolve()
      .then(close)
      .catch(() => undefined)
}
