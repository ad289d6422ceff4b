// Written by: chancery profile types

/** The facts of Meridian. */
export interface GameFacts {
  resources: {
    /** An alliance of nations. */
    alliance: {
      /** Identifier that the game chose. It never changes. Example: `"a7"`. */
      id: string
      /** The alliance’s name. Example: `"Northern Pact"`. */
      name?: string
      /** The alliance’s short tag. Example: `"NP"`. */
      tag?: string
      /** The alliance’s colour as #rrggbb. Example: `"#1d3557"`. */
      color?: string | null
      /** Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only. Example: `"https://game.example/flags/a7.png"`. */
      flag_url?: string | null
      /** The alliance’s own description. Example: `"Mutual defence of the northern straits."`. */
      description?: string | null
      /** When the alliance was founded. Example: `"2026-03-04T12:00:00Z"`. */
      founded_at?: string | null
      /** Whether it accepts new members; null if unknown. Example: `true`. */
      recruiting?: boolean | null
      /** Additional fields of this game, as in the game profile. Each has its own class. */
      attributes?: {
        /** The city in which the alliance meets. Example: `"Port Verity"`. */
        headquarters?: string | null
      }
      /** The treasury. Only with `include=treasury`. Null if the game does not send it. In credits, units of goods. Needs `treasury.read`. */
      treasury?: {
        /** Money in the treasury. */
        credits?: number | null
        /** Goods in the treasury, by kind. */
        resources?: {
          food?: number
          timber?: number
          coal?: number
          oil?: number
          iron?: number
          steel?: number
          electronics?: number
          uranium?: number
        } | null
      } | null
      /** Notes of the game’s moderators. Example: `"Name under review."`. */
      moderation_notes?: string | null
    }
    /** A nation, led by one player. */
    nation: {
      /** Identifier that the game chose. It never changes. Example: `"n42"`. */
      id: string
      /** The nation’s name. Example: `"Valdoria"`. */
      nation_name?: string
      /** The leader’s name; empty if unknown to the game. Example: `"Mira Castellane"`. */
      leader_name?: string
      /** Strength as the game publishes it. It may be negative. At most 4 decimals, and 15 digits in all. In points. Example: `1843.25`. */
      national_score?: number
      /** active; protected (cannot be attacked yet); vacation (its player is absent); inactive. Example: `"active"`. */
      status?: 'active' | 'protected' | 'vacation' | 'inactive'
      /** Key of the game’s own status, as in the game profile, which maps it to `status`; null for none. */
      game_status?: 'banned' | null
      /** Key of the form of government, as in the game profile. Example: `"republic"`. */
      government?:
        | 'republic'
        | 'federation'
        | 'constitutional_monarchy'
        | 'absolute_monarchy'
        | 'military_junta'
        | 'theocracy'
        | 'technocracy'
        | 'commune'
        | null
      /** Key of the continent, as in the game profile. Example: `"borea"`. */
      continent?: 'borea' | 'meridia' | 'orienta' | 'occida' | 'austra' | 'insula' | null
      /** The nation’s colour as #rrggbb. Example: `"#2f6fde"`. */
      color?: string | null
      /** Picture of the flag: an https URL with a public host name, of unreserved and escaped characters only. Example: `"https://game.example/flags/n42.png"`. */
      flag_url?: string | null
      /** The nation’s motto, written by its player. Example: `"Through storm, homeward."`. */
      motto?: string | null
      /** When the nation was founded. Example: `"2026-03-01T09:30:00Z"`. */
      founded_at?: string | null
      /** Number of cities. In cities. Example: `14`. */
      city_count?: number | null
      /** Land under its control. In square kilometres. Example: `24500`. */
      land_area?: number | null
      /** Additional fields of this game, as in the game profile. Each has its own class. */
      attributes?: {
        /** Share of the people who can read and write. In percent. Example: `93.5`. */
        literacy_percent?: number | null
        /** Renown, from its age and the wars it has won. In points. Example: `340`. */
        prestige?: number | null
        /** The languages of its people, the most spoken first. Example: `["Borean","Harbour","Tidewater","Old Occidan","Hill Orientan"]`. */
        languages?: string[] | null
        /** How tired of war the people are, from 0 to 100. In points. Needs `military.read`. Example: `12`. */
        war_weariness?: number | null
      }
      /** Exact forces. Null if the game does not send them. In units. Needs `military.read`. */
      military?: {
        /** Units in service, by kind. */
        units?: {
          soldiers?: number
          tanks?: number
          artillery?: number
          aircraft?: number
          ships?: number
          spies?: number
        } | null
        /** Units in reserve, by kind. */
        reserves?: {
          soldiers?: number
          tanks?: number
          artillery?: number
          aircraft?: number
          ships?: number
          spies?: number
        } | null
        /** Readiness of the forces, from 0 to 100 percent. */
        readiness?: number | null
        /** Strategic weapons in stock, by kind. */
        strategic?: {
          ballistic_missile?: number
          nuclear_missile?: number
        } | null
      } | null
      /** Money and goods in stock. Null if the game does not send them. In credits, units of goods. Needs `economy.read`. */
      economy?: {
        /** Money in stock. */
        credits?: number | null
        /** Goods in stock, by kind. */
        resources?: {
          food?: number
          timber?: number
          coal?: number
          oil?: number
          iron?: number
          steel?: number
          electronics?: number
          uranium?: number
        } | null
      } | null
      /** Production queues. Null if the game does not send them. Needs `production.read`. */
      production?: {
        /** Orders in production, by completion, earliest first. */
        queue?: {
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
      /** The game’s id of the player who leads the nation now. Keys belong to players. Example: `"p1007"`. */
      player?: string | null
      /** Notes of the game’s moderators. Example: `"Warned for a motto."`. */
      moderation_notes?: string | null
    }
    /** A nation’s membership in an alliance. A nation is in one alliance at most. */
    alliance_member: {
      /** The nation. Example: `"n42"`. */
      nation_id: string
      /** The alliance that the nation is a member of. Example: `"a7"`. */
      alliance_id?: string
      /** Key of the rank, as in the game profile. Example: `"officer"`. */
      rank?: 'leader' | 'officer' | 'member' | 'recruit'
      /** When the nation joined. Example: `"2026-03-09T20:15:00Z"`. */
      joined_at?: string | null
      /** Whether the game lets this member see the treasury; null: the rank’s tier decides. */
      can_view_treasury?: boolean | null
    }
    /** A nation’s application to join an alliance. It is not membership, and the API never returns it. */
    alliance_application: {
      /** The nation that applies. Example: `"n77"`. */
      nation_id: string
      /** The alliance that it applies to. Example: `"a7"`. */
      alliance_id?: string
      /** When it applied. Example: `"2026-05-26T11:00:00Z"`. */
      applied_at?: string | null
    }
    /** A treaty between two alliances, or between two nations. */
    treaty: {
      /** Identifier that the game chose. Example: `"t5"`. */
      id: string
      /** active while it is in force. Example: `"active"`. */
      status?: 'active' | 'ended'
      /** The two alliances; empty if it is between nations. Example: `["a3","a7"]`. */
      alliance_ids?: string[]
      /** The two nations; empty if it is between alliances. Example: `[]`. */
      nation_ids?: string[]
      /** Key of the first of its kinds, as in the game profile. Example: `"non_aggression"`. */
      type?: 'mutual_defense' | 'optional_defense' | 'non_aggression' | 'protectorate'
      /** Keys of all its kinds. A fact has `type`, or `types`, or both. */
      types?: ('mutual_defense' | 'optional_defense' | 'non_aggression' | 'protectorate')[]
      /** When it was signed. Example: `"2026-04-11T15:00:00Z"`. */
      signed_at?: string | null
      /** When it expires; null for never or unknown. */
      expires_at?: string | null
      /** When it ended; null while it is in force or if unknown. */
      ended_at?: string | null
    }
    /** A period of the game, from one reset to the next. */
    era: {
      /** Identifier that the game chose. Example: `"e2"`. */
      id: string
      /** The era’s number. Example: `2`. */
      number?: number | null
      /** Its name. Example: `"The Second Dawn"`. */
      name?: string
      /** upcoming, active or ended. Example: `"active"`. */
      status?: 'upcoming' | 'active' | 'ended'
      /** When it started, or will start. Example: `"2026-03-01T00:00:00Z"`. */
      started_at?: string | null
      /** When it ended; null before the end. */
      ended_at?: string | null
      /** A summary of the era. */
      summary?: string | null
      /** The alliance that won the era; null before the end, or for none. */
      champion?: {
        alliance_id?: string
        name?: string
      } | null
    }
    /** A global conflict: a group of wars between alliances. */
    conflict: {
      /** Identifier that the game chose. Example: `"c4"`. */
      id: string
      /** Its name. Example: `"War of the Straits"`. */
      name?: string
      /** active until it has ended. Example: `"active"`. */
      status?: 'active' | 'ended'
      /** What started it. Example: `"Valdoria closed the straits."`. */
      cause?: string | null
      /** When it started. Example: `"2026-05-18T00:00:00Z"`. */
      started_at?: string
      /** When it ended; null while it is active or if unknown. */
      ended_at?: string | null
      /** The sides. Counts are computed from the wars of the conflict. */
      sides?: {
        name: string
        alliances: {
          alliance_id: string
          joined_at?: string | null
          left_at?: string | null
        }[]
      }[]
      /** The era in which it started. Example: `"e2"`. */
      era_id?: string | null
    }
    /** A war of two nations or alliances, and of others that joined it. */
    war: {
      /** Identifier that the game chose. Example: `"w310"`. */
      id: string
      /** Key of the kind of war, as in the game profile. Example: `"conquest"`. */
      type?: 'conquest' | 'raid' | 'attrition' | 'liberation' | null
      /** active until it has ended. Example: `"active"`. */
      status?: 'active' | 'ended'
      /** The attacker’s reason for declaring it. Example: `"The strait belongs to Valdoria."`. */
      reason?: string | null
      /** The nation that declared the war, with name and alliance at the declaration. If attacker_type is alliance: that alliance declared it, and the nation leads it. */
      attacker?: {
        /** The nation. If a new war has alliance_id alone: the war is that of the alliance, and the nation is its leader, else the member who joined first. */
        nation_id?: string
        /** Its name at the declaration. If omitted: as it is when the war is declared. */
        nation_name?: string
        /** Its alliance at the declaration. If omitted: as it is when the war is declared. */
        alliance_id?: string | null
        /** That alliance’s name at the declaration. If omitted: as it is when the war is declared. */
        alliance_name?: string | null
      }
      /** The nation it was declared on, with name and alliance at the declaration. If defender_type is alliance: it was declared on that alliance, and the nation leads it. */
      defender?: {
        /** The nation. If a new war has alliance_id alone: the war is that of the alliance, and the nation is its leader, else the member who joined first. */
        nation_id?: string
        /** Its name at the declaration. If omitted: as it is when the war is declared. */
        nation_name?: string
        /** Its alliance at the declaration. If omitted: as it is when the war is declared. */
        alliance_id?: string | null
        /** That alliance’s name at the declaration. If omitted: as it is when the war is declared. */
        alliance_name?: string | null
      }
      /** alliance if the war was declared by an alliance as a whole. Example: `"nation"`. */
      attacker_type?: 'nation' | 'alliance'
      /** alliance if the war was declared on an alliance as a whole. Example: `"nation"`. */
      defender_type?: 'nation' | 'alliance'
      /** Whether neither side attacked. The attacker is then only the first of the two parties, and the defender the second. Example: `false`. */
      is_mutual?: boolean
      /** Other nations that take part or took part, with name and alliance when they joined. The list replaces the previous one as a whole. A nation that returns is in it once for each time. */
      participants?: {
        side: 'attacker' | 'defender'
        /** The nation. */
        nation_id: string
        /** Its name when it joined. If omitted: as it is when the participant is added. */
        nation_name?: string
        /** Its alliance when it joined. If omitted: as it is when the participant is added. */
        alliance_id?: string | null
        /** That alliance’s name when it joined. If omitted: as it is when the participant is added. */
        alliance_name?: string | null
        joined_at?: string | null
        left_at?: string | null
      }[]
      /** When it was declared. Example: `"2026-05-20T10:00:00Z"`. */
      declared_at?: string
      /** When it ended; null while it is active or if unknown. */
      ended_at?: string | null
      /** How it ended; null while it is active or if unknown. */
      outcome?: 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate' | null
      /** Key of the game’s own outcome, as in the game profile, which maps it to `outcome`; null for none. */
      game_outcome?: 'white_peace' | null
      /** The global conflict that it is part of. Example: `"c4"`. */
      conflict_id?: string | null
      /** The earlier war that it continues. */
      follows_war_id?: string | null
      /** The era in which it was declared. Example: `"e2"`. */
      era_id?: string | null
    }
    /** A battle, of a war or without one. */
    battle: {
      /** Identifier that the game chose. Example: `"b9001"`. */
      id: string
      /** The war it was fought in; null if none was declared. Example: `"w310"`. */
      war_id?: string | null
      /** Key of the kind of battle, as in the game profile. Example: `"ground"`. */
      kind?: 'ground' | 'air' | 'naval' | 'siege' | null
      /** active while it lasts. Example: `"ended"`. */
      status?: 'active' | 'ended'
      /** When it was fought; of a battle that lasts, when it began. Example: `"2026-05-21T03:12:00Z"`. */
      fought_at?: string
      /** When it began; null if it does not last or if unknown. */
      started_at?: string | null
      /** When it ended; null while it lasts, if it does not last or if unknown. */
      ended_at?: string | null
      /** The nation that attacked in this battle. Example: `"n42"`. */
      attacker_nation_id?: string
      /** The nation that defended in this battle. Example: `"n9"`. */
      defender_nation_id?: string
      /** The attacker’s alliance at the battle; null for none. If a fact omits it: that of the war’s side, else the present one. Example: `"a7"`. */
      attacker_alliance_id?: string | null
      /** The defender’s alliance at the battle; null for none. If a fact omits it: that of the war’s side, else the present one. */
      defender_alliance_id?: string | null
      /** Nations that helped the attacker in this battle. Example: `["n3"]`. */
      attacker_helper_nation_ids?: string[]
      /** Nations that helped the defender in this battle. Example: `[]`. */
      defender_helper_nation_ids?: string[]
      /** Who won: this battle’s attacker or defender, or a draw; null if unknown. Example: `"attacker"`. */
      victor?: 'attacker' | 'defender' | 'draw' | null
      /** Losses of this battle’s attacker and defender, of units whose losses the game makes public; never of strategic weapons. In units. */
      losses?: {
        /** Losses of the attacker, by kind of unit. */
        attacker?: {
          soldiers?: number
          tanks?: number
          artillery?: number
          aircraft?: number
          ships?: number
        }
        /** Losses of the defender, by kind of unit. */
        defender?: {
          soldiers?: number
          tanks?: number
          artillery?: number
          aircraft?: number
          ships?: number
        }
      }
      /** Infrastructure of the defender that was destroyed. In points. Example: `84.5`. */
      infrastructure_destroyed?: number | null
    }
    /** The price of one resource on the game’s market. */
    market_price: {
      /** Key of the resource, as in the game profile. Example: `"steel"`. */
      resource: 'food' | 'timber' | 'coal' | 'oil' | 'iron' | 'steel' | 'electronics' | 'uranium'
      /** Price of the latest trade, for one unit. In currency. Example: `412.5`. */
      price?: number
      /** Key of the currency, as in the game profile. Example: `"credits"`. */
      currency?: 'credits'
      /** Highest price offered by a buyer; null without one. In currency. Example: `410`. */
      best_bid?: number | null
      /** Lowest price at which a seller offers; null without one. In currency. Example: `414.25`. */
      best_ask?: number | null
      /** Highest price of the last 24 hours. In currency. Example: `433`. */
      high_24h?: number | null
      /** Lowest price of the last 24 hours. In currency. Example: `389.75`. */
      low_24h?: number | null
      /** Units traded in the last 24 hours. In units. Example: `182000`. */
      volume_24h?: number | null
      /** Money traded in the last 24 hours. In currency. Example: `75075000`. */
      traded_value_24h?: number | null
      /** Trades in the last 24 hours. In trades. Example: `961`. */
      trades_24h?: number | null
      /** Change of the price over 24 hours. In percent. Example: `-3.25`. */
      change_24h_percent?: number | null
      /** When the game computed these numbers. Example: `"2026-05-27T18:00:00Z"`. */
      as_of?: string
    }
    /** A news item of the game. */
    news_item: {
      /** Identifier that the game chose. Example: `"news88"`. */
      id: string
      /** Its headline. Example: `"Valdoria closes the straits"`. */
      title?: string
      /** Its text, in Markdown. Example: `"Merchants of **Karsk** turned back this morning."`. */
      body?: string
      /** Key of the category, as in the game profile. Example: `"diplomacy"`. */
      category?: 'war' | 'diplomacy' | 'economy' | 'world' | null
      /** Who wrote it. Example: `"The Daily Courier"`. */
      author?: string | null
      /** When it was published. Example: `"2026-05-18T07:00:00Z"`. */
      published_at?: string
      /** Nations it is about. Example: `["n42","n9"]`. */
      nation_ids?: string[]
      /** Alliances it is about. Example: `["a7"]`. */
      alliance_ids?: string[]
    }
  }
  events: {
    'strategic_weapon.launched': {
      /** Key of the weapon, as in the game profile. */
      weapon: 'ballistic_missile' | 'nuclear_missile'
      /** The nation that launched it. */
      attacker_nation_id: string
      /** The nation it was aimed at. */
      defender_nation_id: string
      /** The war it belongs to. */
      war_id?: string | null
      /** The battle it belongs to. */
      battle_id?: string | null
    }
    'strategic_weapon.intercepted': {
      /** Key of the weapon, as in the game profile. */
      weapon: 'ballistic_missile' | 'nuclear_missile'
      /** The nation that launched it. */
      attacker_nation_id: string
      /** The nation it was aimed at. */
      defender_nation_id: string
      /** The war it belongs to. */
      war_id?: string | null
      /** The battle it belongs to. */
      battle_id?: string | null
    }
    'game.disaster': {
      /** What struck: earthquake, flood, drought, storm or epidemic. */
      disaster?: string | null
      /** The nation that was struck. */
      nation_id?: string | null
      /** From 1 (slight) to 5 (catastrophic). */
      severity?: number | null
    }
  }
}
