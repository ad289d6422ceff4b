// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

import type { CallOptions, Page } from './call-options.ts'

/** The alliance of a nation, and its rank there. */
export interface AllianceMembership {
  /** The alliance. */
  alliance_id: string
  /** Key of the nation’s rank in the alliance, as in the game profile. */
  rank: string
  /** The alliance’s name and tag. */
  alliances: {
    /** The alliance’s name. */
    name: string
    /** The alliance’s short tag. */
    tag: string
  }
}

/** A nation, by id and name. */
export interface NationReference {
  /** The nation. */
  nation_id: string
  /** Its name. */
  nation_name: string
}

/** A side of a war, as it was at the declaration. */
export interface WarSide {
  /** The nation. */
  nation_id: string
  /** The nation’s name at the declaration. */
  nation_name: string
  /** Its alliance at the declaration. */
  alliance_id: string | null
  /** That alliance’s name at the declaration. */
  alliance_name: string | null
}

/** A nation that takes part in a war besides its sides, as it was when it joined. */
export interface WarParticipant {
  /** On whose side it takes part. */
  side: 'attacker' | 'defender'
  /** The nation. */
  nation_id: string
  /** The nation’s name when it joined. */
  nation_name: string
  /** Its alliance when it joined. */
  alliance_id: string | null
  /** That alliance’s name when it joined. */
  alliance_name: string | null
  /** When it joined; null if unknown. */
  joined_at: string | null
  /** When it left before the war ended; null if it did not, or if unknown. */
  left_at: string | null
}

/** Losses of both sides, by kind of unit. */
export interface Losses {
  /** Losses of the attacker, by kind of unit. */
  attacker: Record<string, number>
  /** Losses of the defender, by kind of unit. */
  defender: Record<string, number>
}

/** A term of the game profile. */
export interface ProfileTerm {
  key: string
  label: string
}

/** An additional field, from the game profile. */
export interface ProfileAttribute {
  key: string
  type: string
  description: string
  class: string
  scope?: string
  unit?: string
  ranked?: boolean
}

/** An alliance, by id, name and tag. */
export interface AllianceReference {
  /** The alliance. */
  alliance_id: string
  /** Its name. */
  name: string
  /** Its short tag. */
  tag: string
}

/** A global conflict, by id and name. */
export interface ConflictReference {
  /** The global conflict. */
  conflict_id: string
  /** Its name. */
  name: string
}

/** An era, by id and name. */
export interface EraReference {
  /** The era. */
  era_id: string
  /** Its name. */
  name: string
}

/** A nation, led by one player. */
export interface Nation {
  /** Identifier that the game chose. It never changes. Example: `"n42"`. */
  id: string
  /** The nation’s name. Example: `"Valdoria"`. */
  nation_name: string
  /** The leader’s name; empty if unknown to the game. Example: `"Mira Castellane"`. */
  leader_name: string
  /** Strength as the game publishes it. It may be negative. At most 4 decimals, and 15 digits in all. In points. Example: `1843.25`. */
  national_score: number
  /** Position by national_score in the latest ranking round; equal scores share a rank. Null before its first round. Example: `17`. */
  rank: number | null
  /** active; protected (cannot be attacked yet); vacation (its player is absent); inactive. Example: `"active"`. */
  status: 'active' | 'protected' | 'vacation' | 'inactive'
  /** Key of the game’s own status, as in the game profile, which maps it to `status`; null for none. */
  game_status: string | null
  /** Key of the form of government, as in the game profile. Example: `"republic"`. */
  government: string | null
  /** Key of the continent, as in the game profile. Example: `"borea"`. */
  continent: string | null
  /** The nation’s colour as #rrggbb. Example: `"#2f6fde"`. */
  color: string | null
  /** Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only. Example: `"https://game.example/flags/n42.png"`. */
  flag_url: string | null
  /** The nation’s motto, written by its player. Example: `"Through storm, homeward."`. */
  motto: string | null
  /** When the nation was founded. Example: `"2026-03-01T09:30:00Z"`. */
  founded_at: string | null
  /** Number of cities. In cities. Example: `14`. */
  city_count: number | null
  /** Land under its control. In square kilometres. Example: `24500`. */
  land_area: number | null
  /** The nation’s alliance and its rank there; null for none. An application is not membership. */
  alliance: AllianceMembership | null
  /** Counts of the wars of which it is attacker or defender. Wars that it joined do not count. In wars. */
  wars: {
    /** Active wars that it declared. */
    active_offensive: number
    /** Active wars declared on it. */
    active_defensive: number
    /** Ended wars that it won. */
    won: number
    /** Ended wars that it lost. */
    lost: number
  }
  /** The nation’s page in the game; null if the game has none. */
  url: string | null
  /** When one of its own public fields last changed. Ranks, war counts and its alliance’s name do not affect it. Example: `"2026-05-27T18:04:11Z"`. */
  updated_at: string
  /** Additional fields of this game, as in the game profile. Each has its own class. */
  attributes: Record<string, unknown>
}

/** A nation at the end of a day. */
export interface NationHistoryPoint {
  /** The day, in UTC. The point is the state of the last ranking round of that day. Example: `"2026-05-26"`. */
  date: string
  /** The score in that round. In points. Example: `1843.25`. */
  national_score: number
  /** Position by national_score in that round; equal scores share a rank. Example: `17`. */
  rank: number
  /** Number of cities. In cities. Example: `14`. */
  city_count: number | null
  /** The nation’s alliance, which may have been disbanded since; null for none. Example: `"a7"`. */
  alliance_id: string | null
}

/** An alliance of nations. */
export interface Alliance {
  /** Identifier that the game chose. It never changes. Example: `"a7"`. */
  id: string
  /** The alliance’s name. Example: `"Northern Pact"`. */
  name: string
  /** The alliance’s short tag. Example: `"NP"`. */
  tag: string
  /** Position by total_score in the latest ranking round; equal scores share a rank. Null before its first round. Example: `2`. */
  rank: number | null
  /** The alliance’s colour as #rrggbb. Example: `"#1d3557"`. */
  color: string | null
  /** Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only. Example: `"https://game.example/flags/a7.png"`. */
  flag_url: string | null
  /** The alliance’s own description. Example: `"Mutual defence of the northern straits."`. */
  description: string | null
  /** When the alliance was founded. Example: `"2026-03-04T12:00:00Z"`. */
  founded_at: string | null
  /** The member with the highest rank of the tier leader; if there are several, the one that joined first. Null for none. */
  leader: NationReference | null
  /** Number of members. Applicants are not members. In nations. Example: `31`. */
  member_count: number
  /** Sum of the members’ national_score. Beyond 15 digits it is rounded to the nearest IEEE double. In points. Example: `48210.5`. */
  total_score: number
  /** total_score divided by member_count, rounded to 4 decimals; 0 without members. In points. Example: `1555.1774`. */
  average_score: number
  /** Whether it accepts new members; null if unknown. Example: `true`. */
  recruiting: boolean | null
  /** Treaties in force with other alliances, by the other alliance’s id. */
  treaties: {
    /** The other alliance. */
    alliance_id: string
    /** Its name. */
    name: string
    /** Key of the first of its kinds, as in the game profile. */
    type: string
    /** Keys of all its kinds. */
    types: string[]
    /** When it was signed. */
    signed_at: string | null
    /** When it expires; null for never or unknown. */
    expires_at: string | null
  }[]
  /** Counts of its nations’ wars. In wars. */
  wars: {
    /** Active wars with a nation of this alliance, at the declaration, on either side. */
    active: number
    /** Ended wars won by such a nation. */
    won: number
    /** Ended wars lost by such a nation. */
    lost: number
  }
  /** The alliance’s page in the game; null if the game has none. */
  url: string | null
  /** When one of its own public fields last changed. Ranks, counts and treaties do not affect it. Example: `"2026-05-20T08:00:00Z"`. */
  updated_at: string
  /** Additional fields of this game, as in the game profile. Each has its own class. */
  attributes: Record<string, unknown>
}

/** An alliance of nations. With private sections: an absent section was withheld. */
export interface AllianceWithTreasury extends Alliance {
  /** The treasury. Only with `include=treasury`. Null if the game does not send it. In credits, units of goods. Needs `treasury.read`. */
  treasury?: {
    /** Money in the treasury. */
    credits: number | null
    /** Goods in the treasury, by kind. */
    resources: Record<string, number> | null
  } | null
}

/** A nation’s membership in an alliance. A nation is in one alliance at most. */
export interface AllianceMember {
  /** The nation. Example: `"n42"`. */
  nation_id: string
  /** The alliance that the nation is a member of. Example: `"a7"`. */
  alliance_id: string
  /** The nation’s name. Example: `"Valdoria"`. */
  nation_name: string
  /** The nation’s leader; empty if unknown to the game. Example: `"Mira Castellane"`. */
  leader_name: string
  /** The nation’s strength as the game publishes it. In points. Example: `1843.25`. */
  national_score: number
  /** The nation’s status. Example: `"active"`. */
  status: 'active' | 'protected' | 'vacation' | 'inactive'
  /** Key of the rank, as in the game profile. Example: `"officer"`. */
  rank: string
  /** The game’s label of the rank. Example: `"Minister"`. */
  rank_title: string
  /** When the nation joined. Example: `"2026-03-09T20:15:00Z"`. */
  joined_at: string | null
}

/** An alliance at the end of a day. */
export interface AllianceHistoryPoint {
  /** The day, in UTC. The point is the state of the last ranking round of that day. Example: `"2026-05-26"`. */
  date: string
  /** The score in that round. In points. Example: `48210.5`. */
  total_score: number
  /** Position by total_score in that round; equal scores share a rank. Example: `3`. */
  rank: number
  /** Number of members. In nations. Example: `31`. */
  member_count: number
}

/** A treaty between two alliances, or between two nations. */
export interface Treaty {
  /** Identifier that the game chose. Example: `"t5"`. */
  id: string
  /** active while it is in force. Example: `"active"`. */
  status: 'active' | 'ended'
  /** The two alliances; empty if it is between nations. Example: `["a3","a7"]`. */
  alliance_ids: string[]
  /** The two nations; empty if it is between alliances. Example: `[]`. */
  nation_ids: string[]
  /** Key of the first of its kinds, as in the game profile. Example: `"non_aggression"`. */
  type: string
  /** Keys of all its kinds. A fact has `type`, or `types`, or both. Example: `["non_aggression"]`. */
  types: string[]
  /** When it was signed. Example: `"2026-04-11T15:00:00Z"`. */
  signed_at: string | null
  /** When it expires; null for never or unknown. */
  expires_at: string | null
  /** When it ended; null while it is in force or if unknown. */
  ended_at: string | null
}

/** A war of two nations or alliances, and of others that joined it. */
export interface War {
  /** Identifier that the game chose. Example: `"w310"`. */
  id: string
  /** Key of the kind of war, as in the game profile. Example: `"conquest"`. */
  type: string | null
  /** active until it has ended. Example: `"active"`. */
  status: 'active' | 'ended'
  /** The attacker’s reason for declaring it. Example: `"The strait belongs to Valdoria."`. */
  reason: string | null
  /** The nation that declared the war, with name and alliance at the declaration. If attacker_type is alliance: that alliance declared it, and the nation leads it. */
  attacker: WarSide
  /** The nation it was declared on, with name and alliance at the declaration. If defender_type is alliance: it was declared on that alliance, and the nation leads it. */
  defender: WarSide
  /** alliance if the war was declared by an alliance as a whole. Example: `"nation"`. */
  attacker_type: 'nation' | 'alliance'
  /** alliance if the war was declared on an alliance as a whole. Example: `"nation"`. */
  defender_type: 'nation' | 'alliance'
  /** Whether neither side attacked. The attacker is then only the first of the two parties, and the defender the second. Example: `false`. */
  is_mutual: boolean
  /** Other nations that take part or took part, with name and alliance when they joined. The list replaces the previous one as a whole. A nation that returns is in it once for each time. */
  participants: WarParticipant[]
  /** When it was declared. Example: `"2026-05-20T10:00:00Z"`. */
  declared_at: string
  /** When it ended; null while it is active or if unknown. */
  ended_at: string | null
  /** How it ended; null while it is active or if unknown. */
  outcome: 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate' | null
  /** Key of the game’s own outcome, as in the game profile, which maps it to `outcome`; null for none. */
  game_outcome: string | null
  /** Number of battles fought in it. In battles. Example: `5`. */
  battles_count: number
  /** Losses in all its battles. In units. */
  losses: Losses
  /** The global conflict that it is part of. Example: `"c4"`. */
  conflict_id: string | null
  /** The earlier war that it continues. */
  follows_war_id: string | null
  /** The era in which it was declared. Example: `"e2"`. */
  era_id: string | null
  /** The war’s page in the game; null if the game has none. */
  url: string | null
  /** When one of its own public fields last changed. Battles do not affect it. Example: `"2026-05-20T10:00:00Z"`. */
  updated_at: string
}

/** A battle, of a war or without one. */
export interface AnyBattle {
  /** Identifier that the game chose. Example: `"b9001"`. */
  id: string
  /** The war it was fought in; null if none was declared. Example: `"w310"`. */
  war_id: string | null
  /** Key of the kind of battle, as in the game profile. Example: `"ground"`. */
  kind: string | null
  /** active while it lasts. Example: `"ended"`. */
  status: 'active' | 'ended'
  /** When it was fought; of a battle that lasts, when it began. Example: `"2026-05-21T03:12:00Z"`. */
  fought_at: string
  /** When it began; null if it does not last or if unknown. */
  started_at: string | null
  /** When it ended; null while it lasts, if it does not last or if unknown. */
  ended_at: string | null
  /** The nation that attacked in this battle. Example: `"n42"`. */
  attacker_nation_id: string
  /** The nation that defended in this battle. Example: `"n9"`. */
  defender_nation_id: string
  /** The attacker’s alliance at the battle; null for none. If a fact omits it: that of the war’s side, else the present one. Example: `"a7"`. */
  attacker_alliance_id: string | null
  /** The defender’s alliance at the battle; null for none. If a fact omits it: that of the war’s side, else the present one. */
  defender_alliance_id: string | null
  /** Nations that helped the attacker in this battle. Example: `["n3"]`. */
  attacker_helper_nation_ids: string[]
  /** Nations that helped the defender in this battle. Example: `[]`. */
  defender_helper_nation_ids: string[]
  /** Who won: this battle’s attacker or defender, or a draw; null if unknown. Example: `"attacker"`. */
  victor: 'attacker' | 'defender' | 'draw' | null
  /** Losses of this battle’s attacker and defender, of units whose losses the game makes public; never of strategic weapons. In units. */
  losses: Losses
  /** Infrastructure of the defender that was destroyed. In points. Example: `84.5`. */
  infrastructure_destroyed: number | null
}

/** A battle of a war. */
export interface Battle extends AnyBattle {
  /** The war it was fought in. Example: `"w310"`. */
  war_id: string
}

/** The price of one resource on the game’s market. */
export interface MarketPrice {
  /** Key of the resource, as in the game profile. Example: `"steel"`. */
  resource: string
  /** Price of the latest trade, for one unit. In currency. Example: `412.5`. */
  price: number
  /** Key of the currency, as in the game profile. Example: `"credits"`. */
  currency: string
  /** Highest price offered by a buyer; null without one. In currency. Example: `410`. */
  best_bid: number | null
  /** Lowest price at which a seller offers; null without one. In currency. Example: `414.25`. */
  best_ask: number | null
  /** Highest price of the last 24 hours. In currency. Example: `433`. */
  high_24h: number | null
  /** Lowest price of the last 24 hours. In currency. Example: `389.75`. */
  low_24h: number | null
  /** Units traded in the last 24 hours. In units. Example: `182000`. */
  volume_24h: number | null
  /** Money traded in the last 24 hours. In currency. Example: `75075000`. */
  traded_value_24h: number | null
  /** Trades in the last 24 hours. In trades. Example: `961`. */
  trades_24h: number | null
  /** Change of the price over 24 hours. In percent. Example: `-3.25`. */
  change_24h_percent: number | null
  /** When the game computed these numbers. Example: `"2026-05-27T18:00:00Z"`. */
  as_of: string
}

/** The prices of one resource within an hour or a day. */
export interface PriceHistoryPoint {
  /** Key of the resource, as in the game profile. Example: `"steel"`. */
  resource: string
  /** When the hour or day begins. A price belongs to it by its as_of. Example: `"2026-05-27T18:00:00Z"`. */
  from: string
  /** The length: hour or day. Example: `"hour"`. */
  interval: 'hour' | 'day'
  /** The first price that the game sent. In currency. Example: `409.75`. */
  open: number
  /** The highest of them. In currency. Example: `414`. */
  high: number
  /** The lowest of them. In currency. Example: `409.5`. */
  low: number
  /** The last of them. In currency. Example: `412.5`. */
  close: number
  /** Units traded in the 24 hours before the last price, as the game sent them with it. The game sends no single trades, so the volume of the hour or day itself is not known. In units. Example: `182000`. */
  volume_24h: number | null
}

/** A resource’s place by money traded in the last 24 hours. */
export interface MarketRanking extends MarketPrice {
  /** Place by traded_value_24h; 1 is the most traded. Example: `1`. */
  rank: number
}

/** A nation’s place among nations. */
export interface NationRanking {
  /** Place in the latest ranking round; equal scores share a place. Example: `17`. */
  rank: number
  /** Place at the end of yesterday (UTC); null if it had none. Example: `19`. */
  previous_rank: number | null
  /** The number that determines the place: national_score, or the attribute of the request. Example: `1843.25`. */
  value: number
  /** The nation. */
  nation: {
    /** The nation. */
    id: string
    /** Its name. */
    nation_name: string
    /** Its leader. */
    leader_name: string
    /** The nation’s alliance and its rank there; null for a nation without one. */
    alliance: AllianceMembership | null
  }
  /** The score in the latest ranking round. In points. Example: `1843.25`. */
  national_score: number
}

/** An alliance’s place among alliances. */
export interface AllianceRanking {
  /** Place in the latest ranking round; equal scores share a place. Example: `17`. */
  rank: number
  /** Place at the end of yesterday (UTC); null if it had none. Example: `19`. */
  previous_rank: number | null
  /** The number that determines the place: total_score, or the attribute of the request. Example: `1843.25`. */
  value: number
  /** The alliance. */
  alliance: {
    /** The alliance. */
    id: string
    /** Its name. */
    name: string
    /** Its short tag. */
    tag: string
  }
  /** The score in the latest ranking round. In points. Example: `48210.5`. */
  total_score: number
  /** Number of members. In nations. Example: `31`. */
  member_count: number
}

/** A global conflict: a group of wars between alliances. */
export interface Conflict {
  /** Identifier that the game chose. Example: `"c4"`. */
  id: string
  /** Its name. Example: `"War of the Straits"`. */
  name: string
  /** active until it has ended. Example: `"active"`. */
  status: 'active' | 'ended'
  /** What started it. Example: `"Valdoria closed the straits."`. */
  cause: string | null
  /** When it started. Example: `"2026-05-18T00:00:00Z"`. */
  started_at: string
  /** When it ended; null while it is active or if unknown. */
  ended_at: string | null
  /** The sides. Counts are computed from the wars of the conflict. */
  sides: {
    /** The side’s name. */
    name: string
    alliances: {
      /** The alliance. */
      alliance_id: string
      /** Its name. */
      name: string
      /** When it joined the side. */
      joined_at: string | null
      /** When it left; null while it takes part. */
      left_at: string | null
    }[]
    /** Nations of this side that fought in its wars. */
    nation_count: number
    /** Battles won by this side. */
    battles_won: number
    /** Losses, by kind of unit. */
    losses: Record<string, number>
  }[]
  /** Counts of its wars. In wars. */
  wars: {
    /** Active wars of the conflict. */
    active: number
    /** All wars of the conflict. */
    total: number
  }
  /** Battles fought in its wars. In battles. Example: `77`. */
  battles_count: number
  /** The era in which it started. Example: `"e2"`. */
  era_id: string | null
}

/** A news item of the game. */
export interface NewsItem {
  /** Identifier that the game chose. Example: `"news88"`. */
  id: string
  /** Its headline. Example: `"Valdoria closes the straits"`. */
  title: string
  /** Its text, in Markdown. Example: `"Merchants of **Karsk** turned back this morning."`. */
  body: string
  /** Key of the category, as in the game profile. Example: `"diplomacy"`. */
  category: string | null
  /** Who wrote it. Example: `"The Daily Courier"`. */
  author: string | null
  /** When it was published. Example: `"2026-05-18T07:00:00Z"`. */
  published_at: string
  /** Nations it is about. Example: `["n42","n9"]`. */
  nation_ids: string[]
  /** Alliances it is about. Example: `["a7"]`. */
  alliance_ids: string[]
}

/** The last change of an item: it has another content, or does not exist any more. A change of its rank alone does not count. */
export interface Change {
  /** Its number, in the order of the changes. When the item changes again, the change gets a new number, and this one is gone. Example: `5120`. */
  seq: number
  /** What changed. Kinds of items may be added at any time: ignore unknown ones. At present: alliance, nation, alliance_member, treaty, era, conflict, war, battle, market_price, news_item. Example: `"nation"`. */
  resource: string
  /** The id of the item; of an alliance member that of its nation, of a market price the key of the resource. Example: `"n42"`. */
  id: string
  /** `put`: it is new or has another content, which its list returns with `ids`. `deleted`: it is gone. Example: `"put"`. */
  change: 'put' | 'deleted'
}

/** A nation, led by one player. With private sections: an absent section was withheld. */
export interface OwnNation extends Nation {
  /** Exact forces. Null if the game does not send them. In units. Needs `military.read`. */
  military?: {
    /** Units in service, by kind. */
    units: Record<string, number> | null
    /** Units in reserve, by kind. */
    reserves: Record<string, number> | null
    /** Readiness of the forces, from 0 to 100 percent. */
    readiness: number | null
    /** Strategic weapons in stock, by kind. */
    strategic: Record<string, number> | null
  } | null
  /** Money and goods in stock. Null if the game does not send them. In credits, units of goods. Needs `economy.read`. */
  economy?: {
    /** Money in stock. */
    credits: number | null
    /** Goods in stock, by kind. */
    resources: Record<string, number> | null
  } | null
  /** Production queues. Null if the game does not send them. Needs `production.read`. */
  production?: {
    /** Orders in production, by completion, earliest first. */
    queue: {
      /** What is produced. */
      item: string
      /** How many. */
      quantity: number
      /** When it is complete. */
      completes_at: string | null
    }[]
  } | null
  /** Its alliance’s assignments for this nation, while it is a member. Null if the game does not send it. Needs `alliance.read`. */
  assignments?:
    | {
        /** The alliance that made the assignment. */
        alliance_id: string
        /** The kind of assignment: attack, defend, supply, and so on. */
        kind: string
        /** The nation it is about. */
        target_nation_id: string | null
        /** The officer’s note. */
        note: string | null
        /** When it is due. */
        due_at: string | null
      }[]
    | null
}

/** The API key of this request. */
export interface Key {
  /** Identifier of the key. Not secret. Example: `"key_8Zc3fW0aQ1"`. */
  id: string
  /** The name its owner gave it. Example: `"war-room bot"`. */
  name: string
  /** The nation that the key’s player leads at present; null for none. */
  nation: {
    /** The nation. */
    id: string
    /** Its name. */
    nation_name: string
  } | null
  /** What the key may read. Example: `["nation.read","military.read"]`. */
  scopes: (
    | 'nation.read'
    | 'military.read'
    | 'economy.read'
    | 'production.read'
    | 'alliance.read'
    | 'treasury.read'
  )[]
  /** Calls that the key may make per window of 60 seconds. In calls. Example: `120`. */
  limit: number
  /** Calls left in this window, after this one. In calls. Example: `119`. */
  remaining: number
  /** When it was created. Example: `"2026-05-01T12:00:00Z"`. */
  created_at: string
  /** When it expires; null for never. */
  expires_at: string | null
  /** When it was last used, to within a minute; null before its first recorded use. Example: `"2026-05-27T18:03:00Z"`. */
  last_used_at: string | null
}

/** The nation that a verification code belongs to. */
export interface VerifiedIdentity {
  /** Always true: failures are errors. Example: `true`. */
  verified: true
  /** The nation. */
  nation: {
    /** The nation. */
    id: string
    /** Its name. */
    nation_name: string
    /** Its leader. */
    leader_name: string
    /** Its strength as the game publishes it. */
    national_score: number
  }
  /** Its alliance and its rank there; null for none. Applicants have none. */
  alliance: AllianceMembership | null
}

/** The game and its terms. */
export interface Game {
  /** The game’s name. Example: `"Meridian"`. */
  name: string
  /** The game’s home page. */
  url: string | null
  /** The currency of prices and credits. */
  currency: {
    key: string
    label: string
    /** How many decimals amounts of money have at most. */
    decimals: number
    /** How many decimals prices for one unit have at most. */
    price_decimals: number
  }
  /** Military units. Strategic ones are the weapons of strategic_weapon events. */
  units: {
    key: string
    label: string
    is_strategic: boolean
    shows_in_losses: boolean
  }[]
  /** Goods that are stored and traded. */
  resources: ProfileTerm[]
  /** Ranks inside an alliance, highest first. */
  ranks: {
    key: string
    label: string
    tier: 'leader' | 'officer' | 'member'
  }[]
  /** Statuses of nations that the game has besides the fixed ones; `is` is their status. */
  nation_statuses: {
    key: string
    label: string
    is: 'active' | 'protected' | 'vacation' | 'inactive'
  }[]
  /** Forms of government. */
  governments: ProfileTerm[]
  /** Continents. */
  continents: ProfileTerm[]
  /** Kinds of war. */
  war_types: ProfileTerm[]
  /** Outcomes of wars that the game has besides the fixed ones; `is` is their outcome. */
  war_outcomes: {
    key: string
    label: string
    is: 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate'
  }[]
  /** Kinds of battle. */
  battle_kinds: ProfileTerm[]
  /** Kinds of treaty. */
  treaty_types: ProfileTerm[]
  /** Categories of news. */
  news_categories: ProfileTerm[]
  /** Every kind of event that this server may send. */
  event_kinds: {
    type: string
    description: string
  }[]
  /** Further fields of nations and alliances, with their class. */
  attributes: {
    nation: ProfileAttribute[]
    alliance: ProfileAttribute[]
  }
  /** The active era; if there are several, the one that started last. Null for none. */
  era: {
    /** Identifier that the game chose. Example: `"e2"`. */
    id: string
    /** The era’s number. Example: `2`. */
    number: number | null
    /** Its name. Example: `"The Second Dawn"`. */
    name: string
    /** upcoming, active or ended. Example: `"active"`. */
    status: 'upcoming' | 'active' | 'ended'
    /** When it started, or will start. Example: `"2026-03-01T00:00:00Z"`. */
    started_at: string | null
    /** When it ended; null before the end. */
    ended_at: string | null
  } | null
  /** When public data of the world last changed; null for an empty world. Example: `"2026-05-27T18:04:11Z"`. */
  world_changed_at: string | null
}

/** A period of the game, from one reset to the next. */
export interface Era {
  /** Identifier that the game chose. Example: `"e2"`. */
  id: string
  /** The era’s number. Example: `2`. */
  number: number | null
  /** Its name. Example: `"The Second Dawn"`. */
  name: string
  /** upcoming, active or ended. Example: `"active"`. */
  status: 'upcoming' | 'active' | 'ended'
  /** When it started, or will start. Example: `"2026-03-01T00:00:00Z"`. */
  started_at: string | null
  /** When it ended; null before the end. */
  ended_at: string | null
  /** A summary of the era. */
  summary: string | null
  /** The alliance that won the era; null before the end, or for none. */
  champion: {
    /** The alliance. */
    alliance_id: string
    /** Its name at the time. */
    name: string
  } | null
}

/** An occurrence in the game. The event log is ordered, complete and the same for all callers. */
export interface EventCommon {
  /** Identifier of the event; the same in the log, the stream and webhooks. Example: `"evt_1042"`. */
  id: string
  /** Its number in the log, from 1 in the order of logging. There are no gaps, except after the restore of a backup: numbers then continue above all numbers that were used. Example: `1042`. */
  seq: number
  /** When it happened in the game. Example: `"2026-05-20T10:00:00Z"`. */
  occurred_at: string
  /** One English sentence for humans. Programs read `data`. Example: `"Valdoria declared war on Karsk."`. */
  summary: string
  /** Nations it is about. Example: `["n42","n9"]`. */
  nation_ids: string[]
  /** Alliances it is about. Example: `["a7"]`. */
  alliance_ids: string[]
  /** The war it is about. Example: `"w310"`. */
  war_id: string | null
  /** The global conflict it is about. */
  conflict_id: string | null
}

/** The `data` of each kind of event. */
export interface EventDataOf {
  /** A nation or alliance declared war on another, or two went to war. */
  'war.declared': {
    /** The war. */
    war: {
      /** The war. */
      war_id: string
      /** Key of the kind of war, as in the game profile. */
      type: string | null
      /** alliance if an alliance as a whole declared it. */
      attacker_type?: 'nation' | 'alliance'
      /** alliance if it was declared on an alliance as a whole. */
      defender_type?: 'nation' | 'alliance'
      /** Whether neither side attacked. */
      is_mutual?: boolean
      /** The attacker’s reason for declaring it. */
      reason: string | null
    }
    /** The nation that declared the war; the first of the two if neither attacked. */
    attacker: WarSide
    /** The nation it was declared on; the second of the two if neither attacked. */
    defender: WarSide
  }
  /** A war ended. */
  'war.ended': {
    /** The war. */
    war: {
      /** The war. */
      war_id: string
      /** Key of the kind of war, as in the game profile. */
      type: string | null
      /** alliance if an alliance as a whole declared it. */
      attacker_type?: 'nation' | 'alliance'
      /** alliance if it was declared on an alliance as a whole. */
      defender_type?: 'nation' | 'alliance'
      /** Whether neither side attacked. */
      is_mutual?: boolean
    }
    /** How it ended; null if unknown. */
    outcome: 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate' | null
    /** Key of the game’s own outcome, as in the game profile; null for none. Events that version 0.2 or earlier logged lack it. */
    game_outcome?: string | null
    /** The nation that declared the war; the first of the two if neither attacked. */
    attacker: WarSide
    /** The nation it was declared on; the second of the two if neither attacked. */
    defender: WarSide
  }
  /** A nation joined a war after its declaration, on one of its sides. */
  'war.joined': {
    /** The war. */
    war: {
      /** The war. */
      war_id: string
      /** Key of the kind of war, as in the game profile. */
      type: string | null
      /** alliance if an alliance as a whole declared it. */
      attacker_type?: 'nation' | 'alliance'
      /** alliance if it was declared on an alliance as a whole. */
      defender_type?: 'nation' | 'alliance'
      /** Whether neither side attacked. */
      is_mutual?: boolean
    }
    /** The nation that joined. */
    participant: WarParticipant
    /** The nation that declared the war; the first of the two if neither attacked. */
    attacker: WarSide
    /** The nation it was declared on; the second of the two if neither attacked. */
    defender: WarSide
  }
  /** A nation that had joined a war left it before its end. */
  'war.left': {
    /** The war. */
    war: {
      /** The war. */
      war_id: string
      /** Key of the kind of war, as in the game profile. */
      type: string | null
      /** alliance if an alliance as a whole declared it. */
      attacker_type?: 'nation' | 'alliance'
      /** alliance if it was declared on an alliance as a whole. */
      defender_type?: 'nation' | 'alliance'
      /** Whether neither side attacked. */
      is_mutual?: boolean
    }
    /** The nation that left. */
    participant: WarParticipant
    /** The nation that declared the war; the first of the two if neither attacked. */
    attacker: WarSide
    /** The nation it was declared on; the second of the two if neither attacked. */
    defender: WarSide
  }
  /** A battle began that lasts. */
  'battle.started': {
    /** The battle. */
    battle_id: string
    /** The war it is fought in; null if none was declared. */
    war_id: string | null
    /** Key of the kind of battle, as in the game profile. */
    kind: string | null
    /** The nation that attacked in this battle. */
    attacker: NationReference
    /** The nation that defended in this battle. */
    defender: NationReference
    /** Nations that helped the attacker; absent if none did. */
    attacker_helpers?: NationReference[]
    /** Nations that helped the defender; absent if none did. */
    defender_helpers?: NationReference[]
  }
  /** A battle was fought in a war: one that lasts has ended. */
  'battle.fought': {
    /** The battle. */
    battle_id: string
    /** The war it was fought in. */
    war_id: string
    /** Key of the kind of battle, as in the game profile. */
    kind: string | null
    /** The nation that attacked in this battle. */
    attacker: NationReference
    /** The nation that defended in this battle. */
    defender: NationReference
    /** Nations that helped the attacker; absent if none did. */
    attacker_helpers?: NationReference[]
    /** Nations that helped the defender; absent if none did. */
    defender_helpers?: NationReference[]
    /** Who won: this battle’s attacker or defender, or a draw; null if unknown. */
    victor: 'attacker' | 'defender' | 'draw' | null
    /** Losses of this battle’s attacker and defender. */
    losses: Losses
    /** Infrastructure of the defender that was destroyed, in points. */
    infrastructure_destroyed: number | null
  }
  /** A battle was fought without a declared war: one that lasts has ended. */
  'battle.fought_outside_war': {
    /** The battle. */
    battle_id: string
    /** Key of the kind of battle, as in the game profile. */
    kind: string | null
    /** The nation that attacked in this battle. */
    attacker: NationReference
    /** The nation that defended in this battle. */
    defender: NationReference
    /** Nations that helped the attacker; absent if none did. */
    attacker_helpers?: NationReference[]
    /** Nations that helped the defender; absent if none did. */
    defender_helpers?: NationReference[]
    /** Who won: this battle’s attacker or defender, or a draw; null if unknown. */
    victor: 'attacker' | 'defender' | 'draw' | null
    /** Losses of this battle’s attacker and defender. */
    losses: Losses
    /** Infrastructure of the defender that was destroyed, in points. */
    infrastructure_destroyed: number | null
  }
  /** An alliance was founded. */
  'alliance.founded': {
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
  }
  /** An alliance changed its name or tag. */
  'alliance.renamed': {
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
    /** Its name before. */
    old_name: string
    /** Its tag before. */
    old_tag: string
  }
  /** An alliance was disbanded. */
  'alliance.disbanded': {
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
  }
  /** A nation became a member of an alliance. */
  'alliance.member_joined': {
    /** The nation, with its name at that time. */
    nation: NationReference
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
    /** Key of the rank in which it joined, as in the game profile. */
    rank: string
  }
  /** A nation is no longer a member of an alliance. */
  'alliance.member_left': {
    /** The nation, with its name at that time. */
    nation: NationReference
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
  }
  /** A member’s rank in its alliance changed. */
  'alliance.rank_changed': {
    /** The nation, with its name at that time. */
    nation: NationReference
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
    /** Key of its rank before. */
    old_rank: string
    /** Key of its rank now, as in the game profile. */
    rank: string
  }
  /** Two alliances signed a treaty. */
  'treaty.signed': {
    /** The treaty. */
    treaty_id: string
    /** Key of the first of its kinds, as in the game profile. */
    type: string
    /** Keys of all its kinds. */
    types: string[]
    /** The two alliances. */
    alliances: AllianceReference[]
    /** When it was signed. */
    signed_at: string | null
    /** When it expires; null for never or unknown. */
    expires_at: string | null
  }
  /** A treaty of two alliances ended. */
  'treaty.ended': {
    /** The treaty. */
    treaty_id: string
    /** Key of the first of its kinds, as in the game profile. */
    type: string
    /** Keys of all its kinds. */
    types: string[]
    /** The two alliances. */
    alliances: AllianceReference[]
    /** When it was signed. */
    signed_at: string | null
    /** When it expires; null for never or unknown. */
    expires_at: string | null
  }
  /** Two nations signed a treaty. */
  'treaty.signed_between_nations': {
    /** The treaty. */
    treaty_id: string
    /** Key of the first of its kinds, as in the game profile. */
    type: string
    /** Keys of all its kinds. */
    types: string[]
    /** The two nations. */
    nations: NationReference[]
    /** When it was signed. */
    signed_at: string | null
    /** When it expires; null for never or unknown. */
    expires_at: string | null
  }
  /** A treaty of two nations ended. */
  'treaty.ended_between_nations': {
    /** The treaty. */
    treaty_id: string
    /** Key of the first of its kinds, as in the game profile. */
    type: string
    /** Keys of all its kinds. */
    types: string[]
    /** The two nations. */
    nations: NationReference[]
    /** When it was signed. */
    signed_at: string | null
    /** When it expires; null for never or unknown. */
    expires_at: string | null
  }
  /** A nation was founded. */
  'nation.founded': {
    /** The nation, with its name at that time. */
    nation: NationReference
  }
  /** A nation changed its name. */
  'nation.renamed': {
    /** The nation, with its name at that time. */
    nation: NationReference
    /** Its name before. */
    old_name: string
  }
  /** A nation was deleted. */
  'nation.deleted': {
    /** The nation, with its name at that time. */
    nation: NationReference
  }
  /** A global conflict started. */
  'conflict.started': {
    /** The global conflict. */
    conflict: ConflictReference
    /** What started it. */
    cause: string | null
  }
  /** An alliance joined a side of a global conflict. */
  'conflict.joined': {
    /** The global conflict. */
    conflict: ConflictReference
    /** The alliance, with its name at that time. */
    alliance: AllianceReference
    /** Name of the side it joined. */
    side: string
  }
  /** A global conflict ended. */
  'conflict.ended': {
    /** The global conflict. */
    conflict: ConflictReference
  }
  /** An era of the game started. */
  'era.started': {
    /** The era. */
    era: EraReference
  }
  /** An era of the game ended. */
  'era.ended': {
    /** The era. */
    era: EraReference
    /** The alliance that won the era; null for none. */
    champion: {
      /** The alliance. */
      alliance_id: string
      /** Its name. */
      name: string
    } | null
    /** What the reset at the end of the era retired; there are no further events about these. Null if the world was not reset. */
    reset: {
      /** Nations that were retired with it. */
      nations: number
      /** Alliances that were retired with it. */
      alliances: number
    } | null
  }
  /** A news item was published. */
  'news.published': {
    /** The news item. */
    news_id: string
    /** Its headline. */
    title: string
    /** Key of its category, as in the game profile. */
    category: string | null
  }
  /** Texts of a resource were replaced everywhere, including earlier events. Discard your copies and read it again. */
  'record.redacted': {
    /** The kind of resource. */
    resource: 'nation' | 'alliance' | 'war' | 'conflict' | 'era' | 'news_item'
    /** Its id. */
    id: string
    /** Names of the fields that were replaced. */
    fields: string[]
  }
  /** The price of a resource moved by 10 % or more within a day. */
  'market.price_moved': {
    /** Key of the resource, as in the game profile. */
    resource: string
    /** Key of the currency. */
    currency: string
    /** The price now, in the currency, for one unit. */
    price: number
    /** The previous price: that of the last such event, or of at most a day before. */
    reference_price: number
    /** Change from the reference price, in percent; negative for a fall. At most 10^15, however large the rise. */
    change_percent: number
  }
  /** A nation launched a strategic weapon. Its remaining stock is never published. */
  'strategic_weapon.launched': {
    /** Key of the weapon, as in the game profile. */
    weapon: string
    /** The nation that launched it. */
    attacker_nation_id: string
    /** The attacker’s name at that time. */
    attacker_nation_name: string
    /** The nation it was aimed at. */
    defender_nation_id: string
    /** The defender’s name at that time. */
    defender_nation_name: string
    /** The war it belongs to. */
    war_id: string | null
    /** The battle it belongs to. */
    battle_id: string | null
  }
  /** A nation intercepted a strategic weapon. */
  'strategic_weapon.intercepted': {
    /** Key of the weapon, as in the game profile. */
    weapon: string
    /** The nation that launched it. */
    attacker_nation_id: string
    /** The attacker’s name at that time. */
    attacker_nation_name: string
    /** The nation it was aimed at. */
    defender_nation_id: string
    /** The defender’s name at that time. */
    defender_nation_name: string
    /** The war it belongs to. */
    war_id: string | null
    /** The battle it belongs to. */
    battle_id: string | null
  }
}

/** A kind of event that every game has. */
export type EventType = keyof EventDataOf

/** An event of one kind. */
export type EventOf<K extends EventType> = EventCommon & { type: K; data: EventDataOf[K] }

/** An event of a kind that the game added; `/game` describes it. */
export type GameEvent = EventCommon & { type: `game.${string}`; data: Record<string, unknown> }

/** An event of a kind that is newer than this client. Its real `type` is any other text. */
export type LaterEvent = EventCommon & { type: '(a later kind)'; data: Record<string, unknown> }

/** An event. Check `type`, and ignore unknown kinds. */
export type ChanceryEvent = { [K in EventType]: EventOf<K> }[EventType] | GameEvent | LaterEvent

/** Query parameters of every list. */
export interface PageParameters {
  /** Page to read, from 1. A page past the end is empty. */
  page?: number | undefined
  /** Items on a page, from 1 to 100. */
  limit?: number | undefined
}

/** Query parameters of `nations.list`. */
export interface NationsListParameters extends PageParameters {
  /** Text that the nation’s or its leader’s name contains, in any case. At most 100 characters; % and _ match literally. Example: `"valdoria"`. */
  search?: string | undefined
  /** Only these nations. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["n42","n9"]`. */
  ids?: readonly string[] | undefined
  /** Only members of these alliances. `none` selects nations without an alliance, also in a list; no alliance can be selected by this word as its id. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only nations with this status. */
  status?: 'active' | 'protected' | 'vacation' | 'inactive' | undefined
  /** Only nations with at least this national_score. Example: `1500`. */
  min_score?: number | undefined
  /** Only nations with at most this national_score. Example: `2000`. */
  max_score?: number | undefined
  /** Only nations with a value of this attribute: the key of one that `/game` states as `ranked` for nations. */
  attribute?: string | undefined
  /** Only nations with at least this value of `attribute`, which it requires. Example: `100`. */
  min_attribute?: number | undefined
  /** Only nations with at most this value of `attribute`, which it requires. Example: `500`. */
  max_attribute?: number | undefined
  /** The order: `score` by the latest ranking round, `founded` by founded_at, newest first, `cities` by city_count, highest first, both null last, `name` by nation_name in lower case, character by character as in Unicode. */
  sort?: 'score' | 'founded' | 'cities' | 'name' | undefined
}

/** Query parameters of `nations.history`. */
export interface NationsHistoryParameters extends PageParameters {
  /** Only days that begin at or after this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-05-01"`. */
  from?: string | undefined
  /** Only days that begin before this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-06-01"`. */
  to?: string | undefined
}

/** Query parameters of `alliances.list`. */
export interface AlliancesListParameters extends PageParameters {
  /** Text that the name or the tag contains, in any case. At most 100 characters; % and _ match literally. Example: `"valdoria"`. */
  search?: string | undefined
  /** Only these alliances. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["a7","a3"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `alliances.get`. */
export interface AlliancesGetParameters {
  /** Private sections to add: treasury. Comma-separated or repeated. Example: `["treasury"]`. */
  include?: readonly 'treasury'[] | undefined
}

/** Query parameters of `alliances.members`. */
export type AlliancesMembersParameters = PageParameters

/** Query parameters of `alliances.history`. */
export interface AlliancesHistoryParameters extends PageParameters {
  /** Only days that begin at or after this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-05-01"`. */
  from?: string | undefined
  /** Only days that begin before this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-06-01"`. */
  to?: string | undefined
}

/** Query parameters of `members.list`. */
export interface MembersListParameters extends PageParameters {
  /** Only members of these alliances. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only these nations. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["n42","n9"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `treaties.list`. */
export interface TreatiesListParameters extends PageParameters {
  /** Only treaties of one of these nations. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["n42","n9"]`. */
  nation_id?: readonly string[] | undefined
  /** Only treaties of one of these alliances. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only treaties of this kind, also among several. */
  type?: string | undefined
  /** Only treaties in force, or only ended ones. */
  status?: 'active' | 'ended' | undefined
  /** Only these treaties. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["t5","t6"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `wars.list`. */
export interface WarsListParameters extends PageParameters {
  /** Only active wars, or only ended ones. */
  status?: 'active' | 'ended' | undefined
  /** Only wars in which one of these nations is a side or a participant. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["n42","n9"]`. */
  nation_id?: readonly string[] | undefined
  /** Only wars whose attacker or defender was in one of these alliances at the declaration. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only wars of this global conflict. Example: `"c4"`. */
  conflict_id?: string | undefined
  /** Only wars that continue this war. Example: `"w310"`. */
  follows_war_id?: string | undefined
  /** Only these wars. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["w310","w311"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `wars.battles`. */
export type WarsBattlesParameters = PageParameters

/** Query parameters of `battles.list`. */
export interface BattlesListParameters extends PageParameters {
  /** Only battles with one of these nations on either side, or helping it. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["n42","n9"]`. */
  nation_id?: readonly string[] | undefined
  /** Only battles with one of these alliances, at the battle, on either side. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only battles of this war. Example: `"w310"`. */
  war_id?: string | undefined
  /** Only battles of the wars of this global conflict. Example: `"c4"`. */
  conflict_id?: string | undefined
  /** Only battles that last, or only ended ones. */
  status?: 'active' | 'ended' | undefined
  /** Only battles fought at or after this time. Example: `"2026-05-27T00:00:00Z"`. */
  since?: string | undefined
  /** Only battles fought before this time. Example: `"2026-05-27T00:00:00Z"`. */
  until?: string | undefined
  /** Only these battles. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["b9001","b9002"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `market.price`. */
export interface MarketPriceParameters extends PageParameters {
  /** Only these resources. Up to 100, comma-separated or repeated; unknown keys are ignored. Empty counts as absent. */
  resource?: readonly string[] | undefined
}

/** Query parameters of `market.history`. */
export interface MarketHistoryParameters extends PageParameters {
  /** Only this resource. */
  resource?: string | undefined
  /** A point for each hour or for each day. */
  interval?: 'hour' | 'day' | undefined
  /** Only hours or days that begin at or after this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-05-01"`. */
  from?: string | undefined
  /** Only hours or days that begin before this. A date such as 2026-05-01, which means its start in UTC, or a time. Example: `"2026-06-01"`. */
  to?: string | undefined
}

/** Query parameters of `market.rankings`. */
export type MarketRankingsParameters = PageParameters

/** Query parameters of `rankings.list`. */
export interface RankingsListParameters extends PageParameters {
  /** What to rank: nations or alliances. */
  board?: 'nations' | 'alliances' | undefined
  /** Rank by this attribute instead of the score: the key of one that `/game` states as `ranked` for nations or alliances. */
  attribute?: string | undefined
}

/** Query parameters of `conflicts.list`. */
export interface ConflictsListParameters extends PageParameters {
  /** Only these global conflicts. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["c4","c5"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `events.list`. */
export interface EventsListParameters extends PageParameters {
  /** Kinds of events (`war.declared`) or families (`war.*`), comma-separated or repeated. Unknown kinds are rejected. Example: `["war.*","battle.fought"]`. */
  type?: readonly string[] | undefined
  /** Only events about one of these nations. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["n42","n9"]`. */
  nation_id?: readonly string[] | undefined
  /** Only events about one of these alliances. Up to 100, comma-separated or repeated; unknown ids are ignored. Empty counts as absent. Example: `["a7","a3"]`. */
  alliance_id?: readonly string[] | undefined
  /** Only events about this war. Example: `"w310"`. */
  war_id?: string | undefined
  /** Only events logged at or after this time. Example: `"2026-05-27T00:00:00Z"`. */
  since?: string | undefined
  /** Only events logged before this time. Example: `"2026-05-27T00:00:00Z"`. */
  until?: string | undefined
  /** Only events with a greater seq, oldest first. 0 starts at the oldest stored event. Example: `1041`. */
  after?: number | undefined
}

/** Query parameters of `news.list`. */
export interface NewsListParameters extends PageParameters {
  /** Only this category. */
  category?: string | undefined
  /** Only these items. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["news1","news2"]`. */
  ids?: readonly string[] | undefined
}

/** Query parameters of `changes.list`. */
export interface ChangesListParameters extends PageParameters {
  /** Only changes of these kinds of items. Comma-separated or repeated. Example: `["alliance","nation"]`. */
  resource?:
    | readonly (
        | 'alliance'
        | 'nation'
        | 'alliance_member'
        | 'treaty'
        | 'era'
        | 'conflict'
        | 'war'
        | 'battle'
        | 'market_price'
        | 'news_item'
      )[]
    | undefined
  /** Only changes with a greater seq. `change_seq` of a snapshot is where to start. Without it, from the oldest stored change. Example: `5119`. */
  after?: number | undefined
}

/** Query parameters of `me.nation`. */
export interface MeNationParameters {
  /** Sections that the response must contain: military, economy, production, assignments. Comma-separated or repeated. Example: `["military","economy"]`. */
  include?: readonly ('military' | 'economy' | 'production' | 'assignments')[] | undefined
}

/** Query parameters of `discord.verify`. */
export interface DiscordVerifyParameters {
  /** The chat account that sent the code. Required if the code is bound to an account; for any other account, a bound code is reported as unknown. Example: `"80351110224678912"`. */
  for?: string | undefined
}

/** Query parameters of `eras.list`. */
export interface ErasListParameters extends PageParameters {
  /** Only these eras. Up to 100, comma-separated or repeated; unknown ids are ignored. An empty list selects nothing. Example: `["e1","e2"]`. */
  ids?: readonly string[] | undefined
}

/** The items of `rankings.list`, by `board`. */
export interface RankingsListItems {
  nations: NationRanking
  alliances: AllianceRanking
}

/** Nations. */
export interface NationsOperations {
  /** Nations in the order of the latest ranking round: national_score, highest first, then id; new nations last. With `search`: exact matches first, then names that begin with the text, then by score. With `sort`: in its order, also with `search`, and by id where nations are equal. */
  list(options?: NationsListParameters & CallOptions): Promise<Page<Nation>>
  /** The items of all pages of `nations.list`, up to 100 per request. */
  iterate(options?: NationsListParameters & CallOptions): AsyncIterableIterator<Nation>
  /** One nation: its public fields, the same for all callers. */
  get(id: string, options?: CallOptions): Promise<Nation>
  /** One point a day by date, oldest first: score, rank, cities and alliance at its end. A point is written with the first ranking round of the next day, so today has none yet; nor has a day without a round. Old points are deleted, by default after 400 days. The history begins when the nation is first ranked, and ends with it: a nation that was deleted and put again has no points of before. */
  history(id: string, options?: NationsHistoryParameters & CallOptions): Promise<Page<NationHistoryPoint>>
  /** The items of all pages of `nations.history`, up to 100 per request. */
  iterateHistory(
    id: string,
    options?: NationsHistoryParameters & CallOptions,
  ): AsyncIterableIterator<NationHistoryPoint>
}

/** Alliances. */
export interface AlliancesOperations {
  /** Alliances in the order of the latest ranking round: total_score, highest first, then id; new alliances last. With `search`: exact matches of name or tag first, then names that begin with the text, then by score. */
  list(options?: AlliancesListParameters & CallOptions): Promise<Page<Alliance>>
  /** The items of all pages of `alliances.list`, up to 100 per request. */
  iterate(options?: AlliancesListParameters & CallOptions): AsyncIterableIterator<Alliance>
  /** One alliance. `include=treasury` adds its treasury and requires a key with treasury.read whose player may see this treasury in the game at present. */
  get(id: string, options?: AlliancesGetParameters & CallOptions): Promise<AllianceWithTreasury>
  /** Members by rank, highest first, then national_score, highest first, then id. Applicants are not listed. */
  members(id: string, options?: AlliancesMembersParameters & CallOptions): Promise<Page<AllianceMember>>
  /** The items of all pages of `alliances.members`, up to 100 per request. */
  iterateMembers(
    id: string,
    options?: AlliancesMembersParameters & CallOptions,
  ): AsyncIterableIterator<AllianceMember>
  /** One point a day by date, oldest first: score, rank and members at its end. A point is written with the first ranking round of the next day, so today has none yet; nor has a day without a round. Old points are deleted, by default after 400 days. The history begins when the alliance is first ranked, and ends with it: an alliance that was deleted and put again has no points of before. */
  history(id: string, options?: AlliancesHistoryParameters & CallOptions): Promise<Page<AllianceHistoryPoint>>
  /** The items of all pages of `alliances.history`, up to 100 per request. */
  iterateHistory(
    id: string,
    options?: AlliancesHistoryParameters & CallOptions,
  ): AsyncIterableIterator<AllianceHistoryPoint>
}

/** Alliances. */
export interface MembersOperations {
  /** Members of alliances by alliance id, then nation id. Applicants are not listed. */
  list(options?: MembersListParameters & CallOptions): Promise<Page<AllianceMember>>
  /** The items of all pages of `members.list`, up to 100 per request. */
  iterate(options?: MembersListParameters & CallOptions): AsyncIterableIterator<AllianceMember>
}

/** Treaties. */
export interface TreatiesOperations {
  /** Treaties between alliances and between nations, also ended ones, by signed_at, newest first, then id; those without signed_at last. */
  list(options?: TreatiesListParameters & CallOptions): Promise<Page<Treaty>>
  /** The items of all pages of `treaties.list`, up to 100 per request. */
  iterate(options?: TreatiesListParameters & CallOptions): AsyncIterableIterator<Treaty>
  /** One treaty. */
  get(id: string, options?: CallOptions): Promise<Treaty>
}

/** Wars. */
export interface WarsOperations {
  /** Wars by declared_at, newest first, then id. */
  list(options?: WarsListParameters & CallOptions): Promise<Page<War>>
  /** The items of all pages of `wars.list`, up to 100 per request. */
  iterate(options?: WarsListParameters & CallOptions): AsyncIterableIterator<War>
  /** One war. */
  get(id: string, options?: CallOptions): Promise<War>
  /** Battles by fought_at, oldest first, then id. */
  battles(id: string, options?: WarsBattlesParameters & CallOptions): Promise<Page<Battle>>
  /** The items of all pages of `wars.battles`, up to 100 per request. */
  iterateBattles(id: string, options?: WarsBattlesParameters & CallOptions): AsyncIterableIterator<Battle>
}

/** Wars. */
export interface BattlesOperations {
  /** Battles of all wars by fought_at, newest first, then id. */
  list(options?: BattlesListParameters & CallOptions): Promise<Page<AnyBattle>>
  /** The items of all pages of `battles.list`, up to 100 per request. */
  iterate(options?: BattlesListParameters & CallOptions): AsyncIterableIterator<AnyBattle>
  /** One battle. */
  get(id: string, options?: CallOptions): Promise<AnyBattle>
}

/** Market. */
export interface MarketOperations {
  /** One item per traded resource, by the resource’s key. */
  price(options?: MarketPriceParameters & CallOptions): Promise<Page<MarketPrice>>
  /** The items of all pages of `market.price`, up to 100 per request. */
  iteratePrice(options?: MarketPriceParameters & CallOptions): AsyncIterableIterator<MarketPrice>
  /** Prices by hour or by day, by from, oldest first, then the resource’s key. Hours are kept for 30 days; days by default for 400. An hour or a day in which the game sent no price has no point. A price that was sent late counts to its hour and day. The history of a resource ends when its price is deleted, and with the era. */
  history(options?: MarketHistoryParameters & CallOptions): Promise<Page<PriceHistoryPoint>>
  /** The items of all pages of `market.history`, up to 100 per request. */
  iterateHistory(options?: MarketHistoryParameters & CallOptions): AsyncIterableIterator<PriceHistoryPoint>
  /** Resources by traded_value_24h, highest first, null last, then key. */
  rankings(options?: MarketRankingsParameters & CallOptions): Promise<Page<MarketRanking>>
  /** The items of all pages of `market.rankings`, up to 100 per request. */
  iterateRankings(options?: MarketRankingsParameters & CallOptions): AsyncIterableIterator<MarketRanking>
}

/** Nations. */
export interface RankingsOperations {
  /** Nations by national_score or alliances by total_score, highest first, then id, as of the latest ranking round. Pages of one round are consistent with each other. With `attribute`: by its value instead, and without those that have none. */
  list<K extends keyof RankingsListItems = 'nations'>(
    options?: RankingsListParameters & { board?: K | undefined } & CallOptions,
  ): Promise<Page<RankingsListItems[K]>>
  /** The items of all pages of `rankings.list`, up to 100 per request. */
  iterate<K extends keyof RankingsListItems = 'nations'>(
    options?: RankingsListParameters & { board?: K | undefined } & CallOptions,
  ): AsyncIterableIterator<RankingsListItems[K]>
}

/** Wars. */
export interface ConflictsOperations {
  /** Global conflicts by started_at, newest first, then id. */
  list(options?: ConflictsListParameters & CallOptions): Promise<Page<Conflict>>
  /** The items of all pages of `conflicts.list`, up to 100 per request. */
  iterate(options?: ConflictsListParameters & CallOptions): AsyncIterableIterator<Conflict>
}

/** History. */
export interface EventsOperations {
  /** Events by seq, newest first. With `after`, oldest first, starting with the next number: read until a page is empty and store the last seq, and no event is missed or repeated. */
  list(options?: EventsListParameters & CallOptions): Promise<Page<ChanceryEvent>>
  /** The items of all pages of `events.list`, up to 100 per request. */
  iterate(options?: EventsListParameters & CallOptions): AsyncIterableIterator<ChanceryEvent>
}

/** History. */
export interface NewsOperations {
  /** News by published_at, newest first, then id. */
  list(options?: NewsListParameters & CallOptions): Promise<Page<NewsItem>>
  /** The items of all pages of `news.list`, up to 100 per request. */
  iterate(options?: NewsListParameters & CallOptions): AsyncIterableIterator<NewsItem>
}

/** Copies. */
export interface ChangesOperations {
  /** The last change of each item, by seq, oldest first. With `after`, those since then: read until a page is empty and store the last seq, and no change is missed. A change is listed about a second after it was made, when every process of the service returns the new content. Where `after` is older than what is stored, start again from the newest snapshot: `/downloads/world/latest.json` at the origin of the API lists its files. */
  list(options?: ChangesListParameters & CallOptions): Promise<Page<Change>>
  /** The items of all pages of `changes.list`, up to 100 per request. */
  iterate(options?: ChangesListParameters & CallOptions): AsyncIterableIterator<Change>
}

/** Own nation. */
export interface MeOperations {
  /** The nation that the key’s player leads at present: its public fields, and every private section that the key’s scopes grant. `include` makes sections required: if the key lacks the scope of one, the request fails instead of omitting the section. Requires a key with `nation.read`. */
  nation(options?: MeNationParameters & CallOptions): Promise<OwnNation>
  /** The key of this request: its name, scopes, rate limit and remaining calls, expiry and last use. Requires a key. */
  key(options?: CallOptions): Promise<Key>
}

/** Verification. */
export interface DiscordOperations {
  /** Redeems a code that a player created in the developer settings, and returns the player’s nation. A code works once, within 10 minutes; every request with a valid code redeems it. */
  verify(code: string, options?: DiscordVerifyParameters & CallOptions): Promise<VerifiedIdentity>
}

/** Game. */
export interface GameOperations {
  /** The game’s name, the terms of its profile, the current era, and when the world last changed. */
  get(options?: CallOptions): Promise<Game>
}

/** Game. */
export interface ErasOperations {
  /** Eras by started_at, newest first, null last, then id. */
  list(options?: ErasListParameters & CallOptions): Promise<Page<Era>>
  /** The items of all pages of `eras.list`, up to 100 per request. */
  iterate(options?: ErasListParameters & CallOptions): AsyncIterableIterator<Era>
}

/** Every operation, by its id. */
export interface Operations {
  nations: NationsOperations
  alliances: AlliancesOperations
  members: MembersOperations
  treaties: TreatiesOperations
  wars: WarsOperations
  battles: BattlesOperations
  market: MarketOperations
  rankings: RankingsOperations
  conflicts: ConflictsOperations
  events: EventsOperations
  news: NewsOperations
  changes: ChangesOperations
  me: MeOperations
  discord: DiscordOperations
  game: GameOperations
  eras: ErasOperations
}

/** Codes of the API's errors. */
export type ErrorCode =
  | 'invalid_parameter'
  | 'bad_request'
  | 'api_key_required'
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'not_entitled'
  | 'not_found'
  | 'verification_code_unknown'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'verification_code_expired'
  | 'verification_code_used'
  | 'cursor_expired'
  | 'range_not_satisfiable'
  | 'expectation_failed'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'unavailable'
