import Type, { type Static, type TSchema } from 'typebox'
import {
  adminOnly,
  alliancePrivate,
  type Class,
  type Field,
  playerPrivate,
  publicField,
} from '../classification.ts'
import { type JsonSchema, plainSchema } from '../json-schema.ts'
import { type Scope, scopeNames } from '../scopes.ts'
import {
  annotate,
  enumOf,
  id,
  listOf,
  name,
  nullable,
  patternString,
  score,
  strictObject,
  text,
  time,
  withLineRule,
} from '../shared-schemas.ts'

export const keyRule =
  'must be a key of 1 to 64 lower-case letters (a to z), digits and _ that begins with a letter, and not constructor'
// Every JavaScript object has a `constructor`: clients that look up members by key would find a function.
const keySchema = (description: string) =>
  patternString('^(?!constructor$)[a-z][a-z0-9_]{0,63}$', keyRule, { description })
const label = withLineRule(name(100, { description: 'The label that players see.' }))
const term = strictObject({ key: keySchema('The key in responses and facts.'), label })

/** The words that every game has. A game maps its own statuses and outcomes to them. */
export const nationStatuses = ['active', 'protected', 'vacation', 'inactive'] as const
export const warOutcomes = ['attacker_victory', 'defender_victory', 'peace', 'stalemate'] as const

const mappedTerms = <const V extends string>(fixed: readonly V[], description: string, is: string) =>
  Type.Optional(
    listOf(
      strictObject({
        key: keySchema('The key in responses and facts, other than the fixed words.'),
        label,
        is: enumOf(fixed, { description: is }),
      }),
      { description },
    ),
  )

/** The types of attributes, and of members of a game’s own events. `strings` and `ids` are lists. */
export const valueTypes = ['string', 'integer', 'number', 'boolean', 'time', 'strings', 'ids'] as const

const attribute = Type.Object(
  {
    key: keySchema('Its name inside `attributes`.'),
    type: enumOf(valueTypes),
    description: text(500),
    class: enumOf(['public', 'player_private', 'alliance_private', 'admin_only'], {
      description: 'Who may read it. Required: there is no default.',
    }),
    scope: Type.Optional(enumOf(scopeNames, { description: 'Required for the two private classes.' })),
    unit: Type.Optional(text(50)),
    ranked: Type.Optional(
      Type.Boolean({ description: 'Whether rankings may be by it: a public integer or number only.' }),
    ),
    example: Type.Unknown(),
  },
  { additionalProperties: false },
)
export type Attribute = Static<typeof attribute>

const decimalsOf = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 8, description }))
const currencySchema = strictObject({
  key: keySchema('The currency of prices and credits.'),
  label,
  decimals: decimalsOf('How many decimals amounts of money have. Default: 0.'),
  price_decimals: decimalsOf('How many decimals prices for one unit have. Default: 4.'),
})

/** Keys of the attributes by which rankings may be. */
export const rankedAttributes = (attributes: readonly Attribute[]): string[] =>
  attributes.filter(({ ranked }) => ranked).map(({ key }) => key)

const gameEventKind = strictObject({
  type: patternString(
    '^game\\.[a-z][a-z0-9_]{0,50}$',
    'must be game. and a name of 1 to 51 lower-case letters (a to z), digits and _ that begins with a letter',
    { description: 'The kind: `game.` and a name.' },
  ),
  description: text(500),
  data: Type.Record(
    keySchema('The member’s name in `data`.'),
    strictObject({
      type: enumOf(valueTypes),
      description: text(500),
    }),
    {
      additionalProperties: false,
      description: 'Its members. All of them are public, and each may be null.',
    },
  ),
})

const pageUrl = nullable(
  patternString(
    '^https?://[^\\s{}]+\\{id\\}[^\\s{}]*$',
    'must be a URL that begins with http:// or https:// and contains {id} once, such as https://game.example/nations/{id}',
    { description: 'A page of the game; `{id}` is replaced.' },
  ),
)

/** The terms in which games differ, as one JSON file. Responses, validation and documents follow it. */
export const profileSchema = strictObject(
  {
    name: withLineRule(name(100, { description: 'The game’s name.', example: 'Imperium Minor' })),
    url: nullable(
      patternString('^https?://', 'must be a URL that begins with http:// or https://', {
        maxLength: 500,
        description: 'The game’s home page.',
      }),
    ),
    currency: currencySchema,
    units: listOf(
      strictObject({
        key: keySchema('The key in responses and facts.'),
        label,
        is_strategic: Type.Boolean({
          description:
            'A strategic weapon: counted in `military.strategic`, named by strategic_weapon events, never in losses.',
        }),
        shows_in_losses: Type.Boolean({ description: 'Whether losses of it are public.' }),
      }),
      { description: 'Military units.' },
    ),
    resources: listOf(term, { description: 'Goods that are stored and traded.' }),
    ranks: listOf(
      strictObject({
        key: keySchema('The key in responses and facts.'),
        label,
        tier: enumOf(['leader', 'officer', 'member'], {
          description:
            'The permissions of the rank: leaders and officers see the treasury unless the game sets otherwise for a member.',
        }),
      }),
      { description: 'Ranks inside an alliance, highest first.' },
    ),
    nation_statuses: mappedTerms(
      nationStatuses,
      'Statuses of nations besides active, protected, vacation and inactive.',
      'The `status` of these nations.',
    ),
    governments: listOf(term),
    continents: listOf(term),
    war_types: listOf(term),
    war_outcomes: mappedTerms(
      warOutcomes,
      'Outcomes of wars besides attacker_victory, defender_victory, peace and stalemate.',
      'The `outcome` of these wars.',
    ),
    battle_kinds: listOf(term),
    treaty_types: listOf(term),
    news_categories: listOf(term),
    pages: strictObject(
      { nation: pageUrl, alliance: pageUrl, war: pageUrl },
      { description: 'Pages of the game.' },
    ),
    event_kinds: listOf(gameEventKind, {
      description: 'Additional kinds of events, sent by the game as facts.',
    }),
    attributes: strictObject(
      { nation: listOf(attribute), alliance: listOf(attribute) },
      { description: 'Additional fields of nations and alliances, returned in `attributes`.' },
    ),
  },
  { description: 'The terms of one game.' },
)
export type Profile = Static<typeof profileSchema>

/** The currency of a profile, with the decimals of amounts of money and of prices. */
export const currencyOf = ({
  currency: { key, label, decimals = 0, price_decimals = 4 },
}: Pick<Profile, 'currency'>) => ({
  key,
  label,
  decimals,
  price_decimals,
})

const listItemsMax = 100

const attributeTypes = {
  string: text(2000),
  integer: Type.Integer(),
  number: score(),
  boolean: Type.Boolean(),
  time: time(),
  strings: listOf(name(100), { maxItems: listItemsMax }),
  ids: listOf(id(), { maxItems: listItemsMax }),
} satisfies Record<Attribute['type'], TSchema>

/** The schema of one value of the profile: an attribute, or a member of a game event. */
export const valueSchema = (of: { type: Attribute['type']; description: string }) =>
  annotate(nullable(attributeTypes[of.type]), { description: of.description })

/** An attribute as a classified field. */
function attributeField(of: Attribute): Field {
  const schema = valueSchema(of)
  const notes = { description: of.description, example: of.example, ...(of.unit ? { unit: of.unit } : {}) }
  const make: Record<Class, (scope: Scope) => Field> = {
    public: () => publicField(schema, notes),
    player_private: scope => playerPrivate(scope, schema, notes),
    alliance_private: scope => alliancePrivate(scope, schema, notes),
    admin_only: () => adminOnly(schema, notes),
  }
  return make[of.class](of.scope ?? 'nation.read')
}

/** The field with a resource's attributes. Each of them has its own class. */
export const attributesField = (attributes: Attribute[]) =>
  publicField(
    strictObject(
      Object.fromEntries(attributes.map(entry => [entry.key, Type.Optional(attributeField(entry))])),
    ),
    {
      description: 'Additional fields of this game, as in the game profile. Each has its own class.',
      example: Object.fromEntries(
        attributes.filter(entry => entry.class === 'public').map(entry => [entry.key, entry.example]),
      ),
      default: {},
    },
  )

/** The JSON Schema of a game profile, for editors and for programs that generate profiles. */
export const profileJsonSchema = (): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Game profile of Chancery',
  ...plainSchema(profileSchema),
})
