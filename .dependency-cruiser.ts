import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser'

const ours = '^(contract|server|client|game|portal|simulator|connect|cli|acceptance|bench|examples|tools)/'
const slice = '(?:resources/[^/]+|access|events|verification|webhooks)'
/** The files of a slice that write: they apply facts and parts of them, maintain counters, the ranking index and the numbers of histories, reset the world and emit events. */
const writers =
  '(?:apply|counters|participants|events|ranking-index|numbers|reset|event-collector|game-events)'
const apply = `^server/src/(?:${slice}/${writers}|resources/appliers)\\.ts$`
/** The model of ingestion: the batch, its changes, the stores of entities and the tombstones. */
const ingestModel = '^server/src/ingest/(batch|changes|entity-store|tombstones)\\.ts$'

const databaseDrivers = '(^|/)node_modules/(pg|pg-[^/]+|postgres|kysely|mysql2)/'

/** The files by which a slice registers operations and reports errors. */
const httpForSlices = ['define-operation', 'define-stream', 'sse-connection', 'sse-frames', 'http-error']

/** The files that a slice may import, `$1` being itself. */
const belowSlices = [
  '^contract/src/',
  '^server/src/store/',
  '^server/src/disclosure/',
  '^server/src/telemetry/metrics\\.ts$',
  `^server/src/http/(${httpForSlices.join('|')})\\.ts$`,
  '^server/src/$1/',
  `^server/src/${slice}/store\\.ts$`,
  // A package of which the server has its own version is below server/.
  '(^|/)node_modules/',
]

/**
 * The import rules. tools/import-rules/fixtures.ts has a tree for each that breaks it.
 * Rules match real paths: the package name of a workspace is resolved to a file.
 */
export const forbidden: IForbiddenRuleType[] = [
  {
    name: 'contract-imports-nothing-of-ours',
    comment: 'All workspaces import the contract, and it imports none.',
    severity: 'error',
    from: { path: '^contract/' },
    to: { path: ours, pathNot: '^contract/' },
  },
  {
    name: 'contract-depends-on-typebox-alone',
    comment: 'The contract is data without I/O. Only generate.ts, which writes files from it, may use Node.',
    severity: 'error',
    from: { path: '^contract/src/', pathNot: '^contract/src/generate\\.ts$' },
    to: { pathNot: ['^contract/', '(^|/)node_modules/typebox/'] },
  },
  {
    name: 'disclosure-imports-contract-only',
    comment: 'Visibility and serialization are derived from the contract alone.',
    severity: 'error',
    from: { path: '^server/src/disclosure/' },
    to: {
      pathNot: ['^contract/src/', '^server/src/disclosure/', '(^|/)node_modules/fast-json-stringify/'],
    },
  },
  {
    name: 'database-drivers-in-store-only',
    comment:
      'Other modules get a Database, which acts as a role. The example game and the bench open connections of their own.',
    severity: 'error',
    from: {
      path: ours,
      pathNot: [
        '^server/src/store/',
        '^connect/src/',
        '^[^/]+/test/',
        '^tools/',
        '^examples/connect-a-game/',
        '^bench/src/',
      ],
    },
    to: { path: databaseDrivers },
  },
  {
    name: 'game-database-drivers-in-one-folder',
    comment: 'One folder connects to databases of games: other modules get a GameViews or a GameDatabase.',
    severity: 'error',
    from: { path: '^connect/src/', pathNot: '^connect/src/game-database/' },
    to: { path: databaseDrivers },
  },
  {
    name: 'redis-client-in-limits-only',
    comment: 'One file uses Valkey or Redis, for rate limits that processes share.',
    severity: 'error',
    from: { path: ours, pathNot: ['^server/src/limits/redis\\.ts$', '^[^/]+/test/', '^tools/'] },
    to: { path: '(^|/)node_modules/(ioredis|redis|@redis|iovalkey)/' },
  },
  {
    name: 'slices-import-what-lies-below',
    comment:
      "A slice reads the contract, the store, disclosure, metrics, the function that defines a route and other slices' store.ts.",
    severity: 'error',
    from: { path: `^server/src/(${slice})/`, pathNot: apply },
    to: { path: ours, pathNot: belowSlices },
  },
  {
    name: 'apply-imports-what-lies-below-and-apply',
    comment:
      'Like other files of a slice. In addition, writers import the model of ingestion and each other: a deletion cascades through the apply.ts of its slice.',
    severity: 'error',
    from: { path: `^server/src/(${slice})/${writers}\\.ts$` },
    to: { path: ours, pathNot: [...belowSlices, apply, ingestModel] },
  },
  {
    name: 'ingest-imports-apply-and-events',
    comment:
      'Ingestion passes facts to every apply.ts, appends the events that follow, and applies redactions.',
    severity: 'error',
    from: { path: '^server/src/ingest/' },
    to: {
      path: ours,
      pathNot: ['^contract/src/', '^server/src/(store|ingest|events|redaction)/', apply],
    },
  },
  {
    name: 'redaction-imports-apply',
    comment:
      'Redactions are applied in the batch that contains them: to entities by their apply.ts, and to the tables that copy their texts. They withdraw snapshots.',
    severity: 'error',
    from: { path: '^server/src/redaction/' },
    to: {
      path: ours,
      pathNot: [
        '^contract/src/',
        '^server/src/(store|redaction)/',
        '^server/src/snapshots/files\\.ts$',
        apply,
        ingestModel,
      ],
    },
  },
  {
    name: 'http-never-imports-resources',
    comment: 'The request pipeline is the same for all resources.',
    severity: 'error',
    from: { path: '^server/src/http/' },
    to: { path: '^server/src/resources/' },
  },
  {
    name: 'account-and-operator-never-import-handlers',
    comment: 'The account and operator APIs do not use handlers of the public API.',
    severity: 'error',
    from: { path: '^server/src/(account|operator)/' },
    to: { path: '^server/src/.*handlers\\.ts$', pathNot: '^server/src/$1/' },
  },
  {
    name: 'only-api-and-start-wire',
    comment: 'api.ts shows the steps of a request from top to bottom: no other file imports handlers.',
    severity: 'error',
    from: {
      path: ours,
      pathNot: ['^server/src/api\\.ts$', '^server/src/(account|operator|start)/', '^server/test/'],
    },
    to: { path: '^server/src/.*handlers\\.ts$' },
  },
  {
    name: 'api-and-start-are-imported-by-the-entry-only',
    comment: 'The composition root imports the others, not the reverse.',
    severity: 'error',
    from: { path: '^server/src/', pathNot: '^server/src/(start/server|index)\\.ts$' },
    to: { path: '^server/src/(api|start/server)\\.ts$' },
  },
  {
    name: 'cli-imports-package-entries',
    comment: 'The command line uses the package entries of server, simulator, connect and contract.',
    severity: 'error',
    from: { path: '^cli/', pathNot: '^cli/test/' },
    to: { path: ours, pathNot: ['^cli/', '^(contract|server|simulator|connect)/src/index\\.ts$'] },
  },
  {
    name: 'simulator-imports-contract-only',
    comment: 'The simulator produces facts, without a database and without HTTP.',
    severity: 'error',
    from: { path: '^simulator/src/' },
    to: { path: ours, pathNot: ['^simulator/', '^contract/src/index\\.ts$'] },
  },
  {
    name: 'connect-imports-contract-only',
    comment: 'Connect uses the operator API over HTTP, as a game does.',
    severity: 'error',
    from: { path: '^connect/src/' },
    to: { path: ours, pathNot: ['^connect/src/', '^contract/src/index\\.ts$'] },
  },
  {
    name: 'client-imports-nothing-of-ours-at-run-time',
    comment: 'The published client and sender have no dependencies: they import only types of the contract.',
    severity: 'error',
    from: { path: '^(client|game)/src/' },
    to: { path: ours, pathNot: '^$1/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'outsiders-use-http',
    comment: 'Portal, examples and acceptance tests use the server over HTTP only.',
    severity: 'error',
    from: { path: '^(portal|examples|acceptance)/' },
    to: { path: '^(server|cli|simulator)/' },
  },
  {
    name: 'examples-import-package-names',
    comment: 'An example can be copied out of the repository: it imports the entry of a published package.',
    severity: 'error',
    from: { path: '^(examples/[^/]+)/' },
    to: { path: ours, pathNot: ['^$1/', '^(contract|client|game)/src/index\\.ts$'] },
  },
  {
    name: 'tests-are-imported-by-tests-only',
    comment: 'Shipped code does not import tests.',
    severity: 'error',
    from: { path: '^(examples/)?[^/]+/src/' },
    to: { path: '^(examples/)?[^/]+/test/' },
  },
  {
    name: 'no-cycles',
    comment: 'Files that import each other belong into one file, or need a third.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'every-import-is-found',
    comment:
      'An import that is not found is not checked either. Programs for generated clients run in a temporary folder.',
    severity: 'error',
    from: { pathNot: '^tools/generators/programs/' },
    // The driver of the program for games with MongoDB is not installed here.
    to: { couldNotResolve: true, pathNot: '^mongodb$' },
  },
]

export const cruiseOptions: ICruiseOptions = {
  ruleSet: { forbidden },
  validate: true,
  // dependency-cruiser reads TypeScript with TypeScript 6 or older, or with swc.
  parser: 'swc',
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^((cli|client|portal)/dist|release)/' },
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default'],
    extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
  },
}
