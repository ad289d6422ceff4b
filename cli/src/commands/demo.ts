import type { Config, RunningServer } from '@chancery/server'
import { createWorld, type World } from '@chancery/simulator'
import type { ChanceryCommand } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { bannerDocument, bannerText } from '../demo/banner.ts'
import { demoConfig } from '../demo/demo-config.ts'
import { type DemoKey, ensureDemoKeys, readDemoKeys, viewersOf } from '../demo/demo-keys.ts'
import { type DemoWorld, readDemoWorld, removeDemoWorld, writeDemoWorld } from '../demo/demo-world.ts'
import { replayHistory, sendHistory, updateWorld } from '../demo/history.ts'
import { currentHour, formatDuration } from '../format.ts'
import { readProfile } from '../game-profile.ts'
import { createOperatorClient, type OperatorClient } from '../operator-client/operator-client.ts'
import { waitUntilRanked } from '../operator-client/send-facts.ts'
import { integer, seconds } from '../options.ts'
import { startService, whileRunning } from '../service.ts'
import { listenForStop } from '../stop.ts'
import { logStatus, print, type Terminal } from '../terminal.ts'

export function addDemo(program: ChanceryCommand) {
  const { terminal } = program
  program
    .command('demo')
    .description('run the service with a simulated world, to try it')
    .option('--fresh', 'delete the present world and create a new one', false)
    .option('--nations <n>', 'number of nations of a new world (default: 600)', integer(50, 1_000_000))
    .option('--seed <n>', 'the same seed produces the same world (default: 1)', integer(0))
    .option('--tick-seconds <n>', 'seconds between updates of the world; 0 freezes it', seconds, 5)
    .option('--json', 'print one JSON document', false)
    .action((options: DemoOptions) => runDemo(options, terminal))
    .details(`
It runs the bundled PostgreSQL and stores everything in CHANCERY_DATA_DIR (.chancery): a later start
continues with the same world. npm start is the same as chancery demo.

Examples:
  chancery demo
  chancery demo --fresh --nations 5000 --seed 7
  CHANCERY_PORT=9000 CHANCERY_OPERATOR_PORT=9001 chancery demo --tick-seconds 0`)
}

interface DemoOptions {
  fresh: boolean
  nations?: number
  seed?: number
  /** 0 freezes the world. */
  tickSeconds: number
  json: boolean
}

const nationsDefault = 600
const seedDefault = 1
const historyDays = 90

interface RunningDemo {
  config: Config
  service: RunningServer
  options: DemoOptions
  terminal: Terminal
  signal: AbortSignal
}

/** Runs the service on its bundled database with a simulated world, until it is stopped. */
async function runDemo(options: DemoOptions, terminal: Terminal): Promise<void> {
  const stop = listenForStop(terminal)
  const config = await demoConfig(terminal)
  if (options.fresh) await removeDemoWorld(config)
  const known = await readDemoWorld(config.dataDir)
  if (known) assertSameWorld(options, known)
  const service = await startService(config)
  await whileRunning(service, stop, () =>
    startWorld({ config, service, options, terminal, signal: stop.signal }, known),
  )
}

async function startWorld(demo: RunningDemo, known: DemoWorld | undefined): Promise<void> {
  const { config, service, options, terminal, signal } = demo
  if (!known && !service.isEmptyWorld)
    throw new CommandError(
      `${config.dataDir} contains a world that the demo did not create: give the demo a directory of its own with CHANCERY_DATA_DIR`,
    )
  const plan = known ?? newWorld(options)
  const client = createOperatorClient({ url: service.operatorUrl, token: service.operatorToken })
  const profile = config.gameFile === undefined ? undefined : await readProfile(config.gameFile)
  const world = createWorld({ ...plan, ...(profile ? { profile } : {}) })
  const printBanner = (keys: DemoKey[]) => {
    const shown = { config, service, world: plan, keys }
    print(terminal, options.json, bannerDocument(shown), bannerText(shown))
  }

  if (plan.complete && !service.isEmptyWorld) {
    const kept = await readDemoKeys(config.dataDir)
    if (kept) printBanner(await ensureDemoKeys(client, config.dataDir, kept))
    await replayHistory(world, signal)
    if (!kept) printBanner(await ensureDemoKeys(client, config.dataDir, viewersOf(world)))
  } else {
    await createHistory(demo, { plan, client, world })
    const kept = await readDemoKeys(config.dataDir)
    printBanner(await ensureDemoKeys(client, config.dataDir, kept ?? viewersOf(world)))
  }
  if (options.tickSeconds > 0)
    await updateWorld({ world, client, everySeconds: options.tickSeconds, signal }, terminal)
}

/** The first start, or its completion. The service is available in the meantime. */
async function createHistory(
  { config, service, terminal, signal }: RunningDemo,
  { plan, client, world }: { plan: DemoWorld; client: OperatorClient; world: World },
): Promise<void> {
  const { nations, days } = plan
  await writeDemoWorld(config.dataDir, { ...plan, complete: false })
  logStatus(
    terminal,
    `${service.publicUrl} is ready; creating ${days} days of history for ${nations} nations`,
  )
  const startedAt = performance.now()
  await sendHistory(world, { client, service, days, signal }, terminal)
  await waitUntilRanked(client)
  await service.makeSnapshot()
  await writeDemoWorld(config.dataDir, { ...plan, complete: true })
  logStatus(terminal, `created in ${formatDuration(performance.now() - startedAt)}`)
}

const newWorld = ({ nations = nationsDefault, seed = seedDefault }: DemoOptions): DemoWorld => ({
  nations,
  days: historyDays,
  seed,
  endsAt: currentHour(),
  complete: false,
})

function assertSameWorld({ nations, seed }: DemoOptions, known: DemoWorld): void {
  const isSame = (nations ?? known.nations) === known.nations && (seed ?? known.seed) === known.seed
  if (!isSame)
    throw new CommandError(
      `the demo's world has ${known.nations} nations and seed ${known.seed}: --fresh deletes it and creates another`,
    )
}
