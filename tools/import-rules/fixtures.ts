/**
 * For each import rule a tree that breaks this rule alone: its files with the files or packages that they import. `type` marks an
 * import of types, `await` a dynamic one.
 */
export const fixtures: Record<string, Record<string, string[]>> = {
  'account-and-operator-never-import-handlers': {
    'server/src/account/app.ts': ['server/src/resources/nations/handlers.ts'],
  },
  'api-and-start-are-imported-by-the-entry-only': {
    'server/src/index.ts': ['server/src/api.ts'],
    'server/src/rankings/round.ts': ['server/src/api.ts'],
  },
  'apply-imports-what-lies-below-and-apply': {
    'server/src/resources/nations/apply.ts': [
      'server/src/ingest/batch.ts',
      'server/src/resources/members/apply.ts',
      'server/src/resources/members/removal.ts',
    ],
  },
  'cli-imports-package-entries': {
    'cli/src/main.ts': ['server/src/config.ts', 'server/src/index.ts'],
  },
  'client-imports-nothing-of-ours-at-run-time': {
    'client/src/index.ts': ['type contract/src/index.ts', 'contract/src/index.ts'],
    'game/src/index.ts': ['client/src/index.ts'],
  },
  'connect-imports-contract-only': {
    'connect/src/feed.ts': ['contract/src/index.ts', 'server/src/index.ts'],
  },
  'contract-depends-on-typebox-alone': {
    'contract/src/index.ts': ['node:fs'],
  },
  'contract-imports-nothing-of-ours': {
    'contract/test/world.ts': ['type simulator/src/index.ts'],
  },
  'database-drivers-in-store-only': {
    'server/src/rankings/round.ts': ['type pg'],
  },
  'disclosure-imports-contract-only': {
    'server/src/disclosure/disclose.ts': ['server/src/store/database.ts'],
  },
  'every-import-is-found': {
    'simulator/src/index.ts': ['a-package-that-is-not-installed'],
  },
  'examples-import-package-names': {
    'examples/bot/src/main.ts': ['examples/other/src/main.ts'],
  },
  'game-database-drivers-in-one-folder': {
    'connect/src/game-database/postgres.ts': ['type pg'],
    'connect/src/pull/read-views.ts': ['type pg'],
  },
  'http-never-imports-resources': {
    'server/src/http/response-cache.ts': ['server/src/resources/nations/store.ts'],
  },
  'ingest-imports-apply-and-events': {
    'server/src/ingest/apply-batch.ts': [
      'server/src/resources/nations/apply.ts',
      'server/src/resources/nations/store.ts',
    ],
  },
  'no-cycles': {
    'simulator/src/one.ts': ['simulator/src/other.ts'],
    'simulator/src/other.ts': ['simulator/src/one.ts'],
  },
  'only-api-and-start-wire': {
    'server/src/api.ts': ['server/src/events/handlers.ts'],
    'server/src/telemetry/metrics.ts': ['server/src/events/handlers.ts'],
  },
  'outsiders-use-http': {
    'acceptance/src/index.ts': ['server/src/index.ts'],
  },
  'redaction-imports-apply': {
    'server/src/redaction/redact.ts': [
      'server/src/resources/nations/apply.ts',
      'server/src/ingest/apply-batch.ts',
    ],
  },
  'redis-client-in-limits-only': {
    'server/src/limits/memory.ts': ['ioredis'],
  },
  'simulator-imports-contract-only': {
    'simulator/src/index.ts': ['await server/src/index.ts'],
  },
  'slices-import-what-lies-below': {
    'server/src/verification/code-text.ts': ['server/src/resources/nations/queries.ts'],
  },
  'tests-are-imported-by-tests-only': {
    'server/src/store/seed.ts': ['server/test/support/database.ts'],
  },
}
