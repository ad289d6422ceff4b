import Type, { type Static, type TSchema } from 'typebox'
import { type Profile, valueSchema } from './profile.ts'
import { allianceReference, belligerent, nationReference } from './resources/references.ts'
import { battleVictors, lossesOfBoth, warOutcomes } from './resources/war.ts'
import { decimal, id, name, nullable, oneOf, shape, text, time, wordOf } from './shapes.ts'

/** Looks up what a nation or an alliance is called at the moment of the event. */
export interface Names {
  nation(id: string): string
}

/**
 * A kind of event. Its data is public as a whole: there is no way to give a member of it another class.
 * `isDerived` kinds come from the change of state, so that a game can neither forget nor contradict them; the others are sent by the game.
 */
export interface EventKind<S extends TSchema = TSchema> {
  description: string
  isDerived: boolean
  data: S
  /** One English sentence for people. */
  summarize(data: Static<S>, names: Names): string
}

const kind = <S extends TSchema>(
  isDerived: boolean,
  description: string,
  data: S,
  summarize: (data: Static<S>, names: Names) => string,
): EventKind<S> => ({ isDerived, description, data, summarize })

const derivedKind = <S extends TSchema>(
  d: string,
  s: S,
  summarize: (data: Static<S>, names: Names) => string,
) => kind(true, d, s, summarize)

const outcomeSentences = {
  attacker_victory: 'with the attacker’s victory',
  defender_victory: 'with the defender’s victory',
  peace: 'in peace',
  stalemate: 'in stalemate',
}

const weaponEvent = (profile: Profile) =>
  shape({
    weapon: wordOf(
      profile.units.filter(unit => unit.is_strategic),
      { description: 'Key of the weapon, as in the game profile.' },
    ),
    attacker_nation_id: id({ description: 'The nation that launched it.' }),
    defender_nation_id: id({ description: 'The nation it was aimed at.' }),
    war_id: nullable(id({ description: 'The war it belongs to.' })),
    battle_id: nullable(id({ description: 'The battle it belongs to.' })),
  })

const membershipEvent = () => ({ nation: nationReference(), alliance: allianceReference() })

const treatyEvent = () =>
  shape({
    treaty_id: id({ description: 'The treaty.' }),
    type: text(64, { description: 'Key of the kind of treaty.' }),
    alliances: Type.Array(allianceReference(), { minItems: 2, maxItems: 2 }),
    signed_at: nullable(time()),
    expires_at: nullable(time()),
  })

const conflictReference = () => shape({ conflict_id: id(), name: name(200) })
const eraReference = () => shape({ era_id: id(), name: name(200) })

/** Every kind that Chancery itself knows. */
export function eventKindsOf(profile: Profile) {
  const labelOf = (key: string) => profile.units.find(unit => unit.key === key)?.label.toLowerCase() ?? key
  const weaponSentence =
    (verb: string, preposition: string) =>
    (data: { weapon: string; attacker_nation_id: string; defender_nation_id: string }, names: Names) =>
      verb === 'launched'
        ? `${names.nation(data.attacker_nation_id)} launched a ${labelOf(data.weapon)} ${preposition} ${names.nation(data.defender_nation_id)}.`
        : `${names.nation(data.defender_nation_id)} intercepted a ${labelOf(data.weapon)} ${preposition} ${names.nation(data.attacker_nation_id)}.`

  return {
    'war.declared': derivedKind(
      'A nation declared war on another.',
      shape({
        war: shape({ war_id: id(), type: nullable(text(64)), reason: nullable(text(500)) }),
        attacker: belligerent(),
        defender: belligerent(),
      }),
      data => `${data.attacker.nation_name} declared war on ${data.defender.nation_name}.`,
    ),
    'war.ended': derivedKind(
      'A war ended.',
      shape({
        war: shape({ war_id: id(), type: nullable(text(64)) }),
        outcome: nullable(oneOf(warOutcomes)),
        attacker: belligerent(),
        defender: belligerent(),
      }),
      data =>
        `The war of ${data.attacker.nation_name} on ${data.defender.nation_name} ended${data.outcome ? ` ${outcomeSentences[data.outcome]}` : ''}.`,
    ),
    'battle.fought': derivedKind(
      'A battle was fought in a war.',
      shape({
        battle_id: id(),
        war_id: id(),
        kind: nullable(text(64)),
        attacker: nationReference(),
        defender: nationReference(),
        victor: nullable(oneOf(battleVictors)),
        losses: lossesOfBoth(profile),
        infrastructure_destroyed: nullable(decimal()),
      }),
      data => {
        const sides = `${data.attacker.nation_name} and ${data.defender.nation_name}`
        if (data.victor === null) return `${sides} fought a battle.`
        if (data.victor === 'draw') return `${sides} fought a battle that neither won.`
        const [winner, loser] =
          data.victor === 'attacker' ? [data.attacker, data.defender] : [data.defender, data.attacker]
        return `${winner.nation_name} won a battle against ${loser.nation_name}.`
      },
    ),
    'alliance.founded': derivedKind(
      'An alliance was founded.',
      shape({ alliance: allianceReference() }),
      data => `The alliance ${data.alliance.name} was founded.`,
    ),
    'alliance.renamed': derivedKind(
      'An alliance changed its name or tag.',
      shape({ alliance: allianceReference(), old_name: name(100), old_tag: text(20) }),
      data => `The alliance ${data.old_name} is now called ${data.alliance.name} [${data.alliance.tag}].`,
    ),
    'alliance.disbanded': derivedKind(
      'An alliance was disbanded.',
      shape({ alliance: allianceReference() }),
      data => `The alliance ${data.alliance.name} was disbanded.`,
    ),
    'alliance.member_joined': derivedKind(
      'A nation became a member of an alliance.',
      shape({ ...membershipEvent(), rank: text(64) }),
      data => `${data.nation.nation_name} joined ${data.alliance.name}.`,
    ),
    'alliance.member_left': derivedKind(
      'A nation is no longer a member of an alliance.',
      shape(membershipEvent()),
      data => `${data.nation.nation_name} left ${data.alliance.name}.`,
    ),
    'alliance.rank_changed': derivedKind(
      'A member’s rank in its alliance changed.',
      shape({ ...membershipEvent(), old_rank: text(64), rank: text(64) }),
      data => `${data.nation.nation_name} is now ${data.rank} in ${data.alliance.name}.`,
    ),
    'treaty.signed': derivedKind(
      'Two alliances signed a treaty.',
      treatyEvent(),
      data => `${data.alliances.map(alliance => alliance.name).join(' and ')} signed a treaty.`,
    ),
    'treaty.ended': derivedKind(
      'A treaty of two alliances ended.',
      treatyEvent(),
      data => `A treaty of ${data.alliances.map(alliance => alliance.name).join(' and ')} ended.`,
    ),
    'nation.founded': derivedKind(
      'A nation was founded.',
      shape({ nation: nationReference() }),
      data => `${data.nation.nation_name} was founded.`,
    ),
    'nation.renamed': derivedKind(
      'A nation changed its name.',
      shape({ nation: nationReference(), old_name: name(100) }),
      data => `${data.old_name} is now called ${data.nation.nation_name}.`,
    ),
    'nation.deleted': derivedKind(
      'A nation ceased to exist.',
      shape({ nation: nationReference() }),
      data => `${data.nation.nation_name} ceased to exist.`,
    ),
    'conflict.started': derivedKind(
      'A global conflict started.',
      shape({ conflict: conflictReference(), cause: nullable(text(1000)) }),
      data => `${data.conflict.name} started.`,
    ),
    'conflict.joined': derivedKind(
      'An alliance joined a side of a global conflict.',
      shape({ conflict: conflictReference(), alliance: allianceReference(), side: name(100) }),
      data => `${data.alliance.name} joined ${data.conflict.name} on the side of ${data.side}.`,
    ),
    'conflict.ended': derivedKind(
      'A global conflict ended.',
      shape({ conflict: conflictReference() }),
      data => `${data.conflict.name} ended.`,
    ),
    'era.started': derivedKind(
      'An era of the game started.',
      shape({ era: eraReference() }),
      data => `${data.era.name} began.`,
    ),
    'era.ended': derivedKind(
      'An era of the game ended.',
      shape({ era: eraReference(), champion: nullable(shape({ alliance_id: id(), name: name(100) })) }),
      data =>
        data.champion
          ? `${data.era.name} ended; its champion is ${data.champion.name}.`
          : `${data.era.name} ended.`,
    ),
    'news.published': derivedKind(
      'An item of news was published.',
      shape({ news_id: id(), title: name(300), category: nullable(text(64)) }),
      data => `News: ${data.title}`,
    ),
    'market.price_moved': derivedKind(
      'The price of a resource moved by 10 % or more within a day.',
      shape({
        resource: text(64),
        currency: text(64),
        price: decimal(),
        reference_price: decimal({
          description: 'The price it moved from: that of the last such event, or of at most a day before.',
        }),
        change_percent: decimal({ minimum: -100 }),
      }),
      data =>
        `The price of ${data.resource} ${data.change_percent < 0 ? 'fell' : 'rose'} by ${Math.abs(data.change_percent)} % to ${data.price}.`,
    ),
    'strategic_weapon.launched': kind(
      false,
      'A nation launched a strategic weapon. What it has left is never told.',
      weaponEvent(profile),
      weaponSentence('launched', 'at'),
    ),
    'strategic_weapon.intercepted': kind(
      false,
      'A nation intercepted a strategic weapon.',
      weaponEvent(profile),
      weaponSentence('intercepted', 'launched by'),
    ),
  }
}

type KnownKinds = ReturnType<typeof eventKindsOf>
export type EventType = keyof KnownKinds
export type EventData<K extends EventType> = Static<KnownKinds[K]['data']>

/** The kinds that a game adds in its profile, as kinds. */
export function gameEventKinds(profile: Profile): Record<string, EventKind> {
  return Object.fromEntries(
    profile.event_kinds.map(({ type, description, data }) => [
      type,
      kind(
        false,
        description,
        shape(
          Object.fromEntries(Object.entries(data).map(([member, value]) => [member, valueSchema(value)])),
        ),
        () => description,
      ),
    ]),
  )
}
