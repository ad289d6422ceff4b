import { daySeconds, timestamp } from './calendar.ts'
import type { Random } from './random.ts'
import type { Alliance, Nation, Pact, Treaty } from './state.ts'
import { put, randomMoment, type Step } from './step.ts'
import { arePledged } from './wars.ts'

/** Signs treaties and, except in ticks, ends some. */
export function updateTreaties(step: Step) {
  const { world, days, isLive } = step
  const random = step.random('treaties')
  if (!isLive) {
    for (const treaty of [...world.treaties]) {
      const hasExpired = treaty.expiresAt !== null && treaty.expiresAt <= step.until
      if (hasExpired) endTreaty(step, treaty, treaty.expiresAt ?? step.until)
      else if (random.chance(0.0025)) endTreaty(step, treaty, randomMoment(step, random))
    }
  }
  for (let left = random.occurrences(Math.min(3, world.alliances.length * 0.012) * days); left > 0; left--) {
    drawTreaty(step, random, randomMoment(step, random))
  }
  updatePacts(step)
}

const pactsPerNationDay = 0.006

/** Signs treaties between nations and, except in ticks, ends some. */
function updatePacts(step: Step) {
  const { world, days, isLive, until } = step
  const random = step.random('pacts')
  const { nations, vocabulary } = world
  if (!isLive) {
    world.pacts = world.pacts.filter(({ id, expiresAt }) => {
      const isOver = expiresAt !== null && expiresAt <= until
      if (!isOver && !random.chance(0.02)) return true
      const endedAt = isOver ? expiresAt : until
      endPact(step, id, endedAt)
      return false
    })
  }
  for (let left = random.occurrences(nations.length * pactsPerNationDay * days); left > 0; left--) {
    const one = random.pick(nations)
    const other = random.pick(nations)
    if (one === other) continue
    const id = step.nextId('p')
    const signedAt = randomMoment(step, random)
    const expiresAt = !isLive && random.chance(0.3) ? until + random.integer(5, 60) * daySeconds : null
    world.pacts.push({ id, nations: [one, other], expiresAt })
    put(step, 'treaty', signedAt, {
      id,
      nation_ids: [one.id, other.id],
      ...kindsOf(step, random.chance(0.5) ? vocabulary.peaceTreaty : vocabulary.defenceTreaty),
      signed_at: timestamp(signedAt),
      ...(expiresAt === null ? {} : { expires_at: timestamp(expiresAt) }),
    })
  }
}

function endPact(step: Step, id: string, at: number) {
  put(step, 'treaty', at, { id, status: 'ended', ended_at: timestamp(at) })
}

/** Ends the treaties of a nation that is deleted. */
export function endPactsOf(step: Step, nation: Nation, at: number) {
  const isOf = ({ nations }: Pact) => nations.includes(nation)
  for (const { id } of step.world.pacts.filter(isOf)) endPact(step, id, at)
  step.world.pacts = step.world.pacts.filter(pact => !isOf(pact))
}

/** The kinds of a treaty: the given one, and sometimes another. */
function kindsOf(step: Step, { key: type }: { key: string }): { type: string } | { types: string[] } {
  const random = step.random('kinds of treaties')
  const others = step.world.vocabulary.profile.treaty_types.filter(({ key }) => key !== type)
  return others.length > 0 && random.chance(0.2) ? { types: [type, random.pick(others).key] } : { type }
}

export function drawTreaty(step: Step, random: Random, signedAt: number) {
  const alliances = step.world.alliances.filter(({ isDissolving }) => !isDissolving)
  if (alliances.length < 3) return
  const one = random.pick(alliances)
  const other = random.pick(alliances)
  const isSameBloc = one.bloc === other.bloc
  if (one === other || arePledged(step.world, one, other) || areFoes(step, one, other)) return
  if (!isSameBloc && random.chance(0.6)) return
  signTreaty(step, [one, other], isSameBloc && random.chance(0.7), signedAt, random)
}

/** Whether they are on different sides of the present conflict. */
function areFoes(step: Step, one: Alliance, other: Alliance): boolean {
  const sideOf = (of: Alliance) =>
    step.world.conflict?.sides.findIndex(side => side.alliances.some(({ alliance }) => alliance === of)) ?? -1
  return sideOf(one) >= 0 && sideOf(other) >= 0 && sideOf(one) !== sideOf(other)
}

function signTreaty(
  step: Step,
  alliances: readonly [Alliance, Alliance],
  isDefensive: boolean,
  signedAt: number,
  random: Random,
) {
  const { world, isLive } = step
  const { defenceTreaty, peaceTreaty, profile } = world.vocabulary
  const usual = isDefensive ? defenceTreaty : peaceTreaty
  const type =
    profile.treaty_types.length > 0 && random.chance(0.3) ? random.pick(profile.treaty_types) : usual
  const expiresAt = !isLive && random.chance(0.35) ? step.until + random.integer(20, 120) * daySeconds : null
  const treaty: Treaty = {
    id: step.nextId('t'),
    alliances,
    label: type.label,
    isDefensive: type.key === defenceTreaty.key,
    signedAt,
    expiresAt,
  }
  world.treaties.push(treaty)
  put(step, 'treaty', signedAt, {
    id: treaty.id,
    alliance_ids: [alliances[0].id, alliances[1].id],
    ...kindsOf(step, type),
    signed_at: timestamp(signedAt),
    ...(expiresAt === null ? {} : { expires_at: timestamp(expiresAt) }),
  })
  step.occurrences.push({ kind: 'treaty_signed', at: signedAt, treaty })
}

/** Not in ticks: see Step. */
export function endTreaty(step: Step, treaty: Treaty, at: number) {
  const { treaties } = step.world
  treaties.splice(treaties.indexOf(treaty), 1)
  put(step, 'treaty', at, { id: treaty.id, ended_at: timestamp(at) })
  step.occurrences.push({ kind: 'treaty_ended', at, treaty })
}
