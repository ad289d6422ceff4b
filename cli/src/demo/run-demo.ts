import type { Config, RunningServer } from '@chancery/server'
import { createWorld, type World } from '@chancery/simulator'
import { thisHour } from '../clock.ts'
import { CommandError } from '../command-error.ts'
import { type OperatorDoor, openDoor } from '../door/operator-door.ts'
import { untilRanked } from '../door/world-status.ts'
import { readProfile } from '../game-profile.ts'
import { duration } from '../numbers.ts'
import { startService, whileRunning } from '../service.ts'
import { listenForStop } from '../stop.ts'
import { print, say, type Terminal } from '../terminal.ts'
import { bannerDocument, bannerText } from './banner.ts'
import { demoConfig } from './demo-config.ts'
import { type DemoKey, ensureDemoKeys, readDemoKeys, viewersOf } from './demo-keys.ts'
import { type DemoWorld, readDemoWorld, writeDemoWorld } from './demo-world.ts'
import { removeDemoWorld } from './fresh.ts'
import { replayHistory, sendHistory } from './history.ts'
import { keepTicking } from './ticks.ts'

export interface DemoOptions {
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

interface Scene {
  config: Config
  service: RunningServer
  options: DemoOptions
  terminal: Terminal
  signal: AbortSignal
}

/** Runs the service on its bundled database with a simulated world, until it is stopped. */
export async function runDemo(options: DemoOptions, terminal: Terminal): Promise<void> {
  const stop = listenForStop(terminal)
  const config = await demoConfig(terminal)
  if (options.fresh) await removeDemoWorld(config)
  const known = await readDemoWorld(config.dataDir)
  if (known) refuseOtherWorld(options, known)
  const service = await startService(config)
  await whileRunning(service, stop, () =>
    play({ config, service, options, terminal, signal: stop.signal }, known),
  )
}

async function play(scene: Scene, known: DemoWorld | undefined): Promise<void> {
  const { config, service, options, terminal, signal } = scene
  if (!known && !service.isEmptyWorld)
    throw new CommandError(
      `${config.dataDir} holds a world that the demo did not make: give the demo a directory of its own with CHANCERY_DATA_DIR`,
    )
  const plan = known ?? newWorld(options)
  const door = openDoor({ url: service.operatorUrl, token: service.operatorToken })
  const profile = config.gameFile === undefined ? undefined : await readProfile(config.gameFile)
  const world = createWorld({ ...plan, ...(profile ? { profile } : {}) })
  const show = (keys: DemoKey[]) => {
    const shown = { config, service, world: plan, keys }
    print(terminal, options.json, bannerDocument(shown), bannerText(shown))
  }

  if (plan.complete && !service.isEmptyWorld) {
    const kept = await readDemoKeys(config.dataDir)
    if (kept) show(await ensureDemoKeys(door, config.dataDir, kept))
    await replayHistory(world, signal)
    if (!kept) show(await ensureDemoKeys(door, config.dataDir, viewersOf(world)))
  } else {
    await makeHistory(scene, { plan, door, world })
    const kept = await readDemoKeys(config.dataDir)
    show(await ensureDemoKeys(door, config.dataDir, kept ?? viewersOf(world)))
  }
  if (options.tickSeconds > 0)
    await keepTicking({ world, door, everySeconds: options.tickSeconds, signal }, terminal)
}

/** The first start, or its completion: the service answers meanwhile. */
async function makeHistory(
  { config, service, terminal, signal }: Scene,
  { plan, door, world }: { plan: DemoWorld; door: OperatorDoor; world: World },
): Promise<void> {
  const { nations, days } = plan
  await writeDemoWorld(config.dataDir, { ...plan, complete: false })
  say(terminal, `${service.publicUrl} answers; making ${days} days of history for ${nations} nations`)
  const startedAt = performance.now()
  await sendHistory(world, { door, days, signal }, terminal)
  await untilRanked(door)
  await writeDemoWorld(config.dataDir, { ...plan, complete: true })
  say(terminal, `made in ${duration(performance.now() - startedAt)}`)
}

const newWorld = ({ nations = nationsDefault, seed = seedDefault }: DemoOptions): DemoWorld => ({
  nations,
  days: historyDays,
  seed,
  endsAt: thisHour(),
  complete: false,
})

function refuseOtherWorld({ nations, seed }: DemoOptions, known: DemoWorld): void {
  const isSame = (nations ?? known.nations) === known.nations && (seed ?? known.seed) === known.seed
  if (!isSame)
    throw new CommandError(
      `the demo's world has ${known.nations} nations and seed ${known.seed}: --fresh removes it and makes another`,
    )
}
