import Type, { type Static, type TSchema } from 'typebox'
import { type Profile, valueSchema } from './profile.ts'
import { allianceReference, belligerent, nationReference } from './resources/references.ts'
import { battleVictors, lossesOfBoth, warOutcomes } from './resources/war.ts'
import { annotate, decimal, id, name, nullable, oneOf, shape, text, time, wordOf } from './shapes.ts'

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

const about = <S extends TSchema>(schema: S, description: string) => annotate(schema, { description })
const theNation = () => about(nationReference(), 'The nation, under its name of that time.')
const theAlliance = () => about(allianceReference(), 'The alliance, under its name of that time.')
const attacker = () => about(belligerent(), 'The nation that declared the war.')
const defender = () => about(belligerent(), 'The nation it was declared on.')
const typeOfWar = () => nullable(text(64, { description: 'Key of the kind of war, as in the game profile.' }))
const rankKey = (description: string) => text(64, { description })

const membershipEvent = () => ({ nation: theNation(), alliance: theAlliance() })

const treatyEvent = () =>
  shape({
    treaty_id: id({ description: 'The treaty.' }),
    type: text(64, { description: 'Key of the kind of treaty.' }),
    alliances: Type.Array(allianceReference(), {
      minItems: 2,
      maxItems: 2,
      description: 'The two alliances.',
    }),
    signed_at: nullable(time({ description: 'When it was signed.' })),
    expires_at: nullable(time({ description: 'When it ends by itself; null for never or unknown.' })),
  })

const conflictReference = () =>
  shape(
    {
      conflict_id: id({ description: 'The global conflict.' }),
      name: name(200, { description: 'Its name.' }),
    },
    { description: 'The global conflict.' },
  )
const eraReference = () =>
  shape(
    { era_id: id({ description: 'The era.' }), name: name(200, { description: 'Its name.' }) },
    { description: 'The era.' },
  )

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
        war: shape(
          {
            war_id: id({ description: 'The war.' }),
            type: typeOfWar(),
            reason: nullable(text(500, { description: 'Why it was declared, in the attacker’s words.' })),
          },
          { description: 'The war.' },
        ),
        attacker: attacker(),
        defender: defender(),
      }),
      data => `${data.attacker.nation_name} declared war on ${data.defender.nation_name}.`,
    ),
    'war.ended': derivedKind(
      'A war ended.',
      shape({
        war: shape(
          { war_id: id({ description: 'The war.' }), type: typeOfWar() },
          { description: 'The war.' },
        ),
        outcome: nullable(oneOf(warOutcomes, { description: 'How it ended; null where unknown.' })),
        attacker: attacker(),
        defender: defender(),
      }),
      data =>
        `The war of ${data.attacker.nation_name} on ${data.defender.nation_name} ended${data.outcome ? ` ${outcomeSentences[data.outcome]}` : ''}.`,
    ),
    'battle.fought': derivedKind(
      'A battle was fought in a war.',
      shape({
        battle_id: id({ description: 'The battle.' }),
        war_id: id({ description: 'The war it was fought in.' }),
        kind: nullable(text(64, { description: 'Key of the kind of battle, as in the game profile.' })),
        attacker: about(nationReference(), 'The nation that attacked in this battle.'),
        defender: about(nationReference(), 'The nation that defended in this battle.'),
        victor: nullable(
          oneOf(battleVictors, {
            description: 'Who won: this battle’s attacker or defender, or a draw; null where unknown.',
          }),
        ),
        losses: about(lossesOfBoth(profile), 'Losses of this battle’s attacker and defender.'),
        infrastructure_destroyed: nullable(
          decimal({ description: 'Infrastructure destroyed at the defender’s, in points.' }),
        ),
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
      shape({ alliance: theAlliance() }),
      data => `The alliance ${data.alliance.name} was founded.`,
    ),
    'alliance.renamed': derivedKind(
      'An alliance changed its name or tag.',
      shape({
        alliance: theAlliance(),
        old_name: name(100, { description: 'Its name before.' }),
        old_tag: text(20, { description: 'Its tag before.' }),
      }),
      data => `The alliance ${data.old_name} is now called ${data.alliance.name} [${data.alliance.tag}].`,
    ),
    'alliance.disbanded': derivedKind(
      'An alliance was disbanded.',
      shape({ alliance: theAlliance() }),
      data => `The alliance ${data.alliance.name} was disbanded.`,
    ),
    'alliance.member_joined': derivedKind(
      'A nation became a member of an alliance.',
      shape({
        ...membershipEvent(),
        rank: rankKey('Key of the rank in which it joined, as in the game profile.'),
      }),
      data => `${data.nation.nation_name} joined ${data.alliance.name}.`,
    ),
    'alliance.member_left': derivedKind(
      'A nation is no longer a member of an alliance.',
      shape(membershipEvent()),
      data => `${data.nation.nation_name} left ${data.alliance.name}.`,
    ),
    'alliance.rank_changed': derivedKind(
      'A member’s rank in its alliance changed.',
      shape({
        ...membershipEvent(),
        old_rank: rankKey('Key of its rank before.'),
        rank: rankKey('Key of its rank now, as in the game profile.'),
      }),
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
      shape({ nation: theNation() }),
      data => `${data.nation.nation_name} was founded.`,
    ),
    'nation.renamed': derivedKind(
      'A nation changed its name.',
      shape({ nation: theNation(), old_name: name(100, { description: 'Its name before.' }) }),
      data => `${data.old_name} is now called ${data.nation.nation_name}.`,
    ),
    'nation.deleted': derivedKind(
      'A nation ceased to exist.',
      shape({ nation: theNation() }),
      data => `${data.nation.nation_name} ceased to exist.`,
    ),
    'conflict.started': derivedKind(
      'A global conflict started.',
      shape({
        conflict: conflictReference(),
        cause: nullable(text(1000, { description: 'What started it.' })),
      }),
      data => `${data.conflict.name} started.`,
    ),
    'conflict.joined': derivedKind(
      'An alliance joined a side of a global conflict.',
      shape({
        conflict: conflictReference(),
        alliance: theAlliance(),
        side: name(100, { description: 'Name of the side it joined.' }),
      }),
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
      shape({
        era: eraReference(),
        champion: nullable(
          shape(
            {
              alliance_id: id({ description: 'The alliance.' }),
              name: name(100, { description: 'Its name.' }),
            },
            { description: 'The alliance that won the era; null for none.' },
          ),
        ),
      }),
      data =>
        data.champion
          ? `${data.era.name} ended; its champion is ${data.champion.name}.`
          : `${data.era.name} ended.`,
    ),
    'news.published': derivedKind(
      'An item of news was published.',
      shape({
        news_id: id({ description: 'The item of news.' }),
        title: name(300, { description: 'Its headline.' }),
        category: nullable(text(64, { description: 'Key of its category, as in the game profile.' })),
      }),
      data => `News: ${data.title}`,
    ),
    'market.price_moved': derivedKind(
      'The price of a resource moved by 10 % or more within a day.',
      shape({
        resource: text(64, { description: 'Key of the resource, as in the game profile.' }),
        currency: text(64, { description: 'Key of the currency.' }),
        price: decimal({ description: 'The price now, in the currency, for one unit.' }),
        reference_price: decimal({
          description: 'The price it moved from: that of the last such event, or of at most a day before.',
        }),
        change_percent: decimal({
          minimum: -100,
          description: 'Change from the reference price, in percent; negative for a fall.',
        }),
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
