import type { Profile } from '@chancery/contract'

export type Domain = 'land' | 'air' | 'sea' | 'covert' | 'strategic'

/** A unit of the profile, with its properties in the simulation. */
export interface Unit {
  key: string
  label: string
  index: number
  domain: Domain
  showsInLosses: boolean
  /** Stock per point of score. */
  perPoint: number
  /** Price in credits. */
  cost: number
}

/** A resource of the profile. Yield and need are units per day and city. */
export interface Good {
  key: string
  label: string
  index: number
  basePrice: number
  /** Additional demand in war, from 0 to 1. */
  warDemand: number
  yieldPerCity: number
  needPerCity: number
}

export interface Rank {
  key: string
  label: string
  tier: 'leader' | 'officer' | 'member'
}

export interface BattleKind {
  key: string | null
  label: string
  domain: 'land' | 'air' | 'sea'
  isSiege: boolean
}

export interface Term {
  key: string
  label: string
}

/** The profile’s terms with their meaning in the simulation, derived from the key if possible, else from the index in the list. */
export interface Vocabulary {
  profile: Profile
  units: Unit[]
  fieldUnits: Unit[]
  strategicUnits: Unit[]
  goods: Good[]
  leaderRank: Rank
  officerRank: Rank | null
  memberRank: Rank
  recruitRank: Rank
  battleKinds: BattleKind[]
  defenceTreaty: Term
  peaceTreaty: Term
}

const domains: readonly [RegExp, Domain][] = [
  [/sp(y|ies)|agent|covert|assassin/, 'covert'],
  [/air|plane|jet|fighter|bomber|drone|zeppelin|dragon|wing/, 'air'],
  [/ship|fleet|naval|boat|frigate|cruiser|submarine|galley|galleon/, 'sea'],
]
const abundances: readonly [RegExp, number][] = [
  [/soldier|infantry|troop|militia|warrior|legion|spear|levy|pike/, 22],
  [/cavalry|archer|knight/, 6],
  [/tank|armou?r|mech/, 0.8],
  [/artiller|cannon|gun|catapult/, 0.35],
  [/air|plane|jet|fighter|bomber|drone/, 0.22],
  [/ship|fleet|boat|frigate|galley/, 0.04],
  [/sp(y|ies)|agent/, 0.05],
]
const prices: readonly [RegExp, number, number][] = [
  [/food|grain|wheat|rice|bread/, 18, 0.2],
  [/timber|wood|lumber/, 24, 0.1],
  [/coal/, 32, 0.25],
  [/oil|fuel|gas/, 64, 0.9],
  [/iron|ore|copper/, 46, 0.5],
  [/steel|alloy/, 118, 1],
  [/electronic|chip|component/, 240, 0.45],
  [/uranium|fission/, 620, 0.35],
  [/gold|gem|jewel/, 900, 0.1],
]
/** Credits per day that one city produces at base prices. */
export const cityWorth = 7500

const found = <T extends readonly [RegExp, ...unknown[]]>(table: readonly T[], key: string) =>
  table.find(([pattern]) => pattern.test(key))

function unitsOf(profile: Profile): Unit[] {
  return profile.units.map(({ key, label, is_strategic, shows_in_losses }, index) => {
    const perPoint = is_strategic
      ? 0.0012 / (1 + index * 0.1)
      : (found(abundances, key)?.[1] ?? Math.max(0.03, 20 / 5 ** index))
    return {
      key,
      label,
      index,
      domain: is_strategic ? 'strategic' : (found(domains, key)?.[1] ?? 'land'),
      showsInLosses: shows_in_losses,
      perPoint,
      cost: Math.max(1, Math.round(500 / perPoint)),
    }
  })
}

function goodsOf(profile: Profile): Good[] {
  return profile.resources.map(({ key, label }, index) => {
    const known = found(prices, key)
    const basePrice = known?.[1] ?? Math.round(15 * 1.7 ** (index % 8))
    return {
      key,
      label,
      index,
      basePrice,
      warDemand: known?.[2] ?? 0.3,
      yieldPerCity: (cityWorth * 0.66) / basePrice,
      needPerCity: cityWorth / profile.resources.length / basePrice,
    }
  })
}

function battleKindsOf(profile: Profile): BattleKind[] {
  const kinds = profile.battle_kinds.map(({ key, label }) => ({
    key,
    label,
    domain:
      found(
        [
          [/air|sky|bomb|aerial/, 'air'],
          [/nav|sea|ship|blockade/, 'sea'],
        ] as const,
        key,
      )?.[1] ?? ('land' as const),
    isSiege: key.includes('siege'),
  }))
  return kinds.length > 0 ? kinds : [{ key: null, label: 'Battle', domain: 'land', isSiege: false }]
}

export function vocabularyOf(profile: Profile): Vocabulary {
  const units = unitsOf(profile)
  const { ranks, treaty_types: treaties } = profile
  const leaderRank = ranks.find(rank => rank.tier === 'leader')
  if (!leaderRank) throw new RangeError('The profile has no rank of the tier leader.')
  const memberRanks = ranks.filter(rank => rank.tier === 'member')
  const lowest = ranks.at(-1) ?? leaderRank
  const fallbackTreaty = treaties[0] ?? { key: 'treaty', label: 'Treaty' }
  return {
    profile,
    units,
    fieldUnits: units.filter(unit => unit.domain !== 'strategic'),
    strategicUnits: units.filter(unit => unit.domain === 'strategic'),
    goods: goodsOf(profile),
    leaderRank,
    officerRank: ranks.find(rank => rank.tier === 'officer') ?? null,
    memberRank: memberRanks[0] ?? lowest,
    recruitRank: memberRanks.at(-1) ?? lowest,
    battleKinds: battleKindsOf(profile),
    defenceTreaty: treaties.find(type => /mutual|defen[cs]e|alliance/.test(type.key)) ?? fallbackTreaty,
    peaceTreaty: treaties.find(type => /non|peace|truce/.test(type.key)) ?? treaties.at(-1) ?? fallbackTreaty,
  }
}
