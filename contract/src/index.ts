export * from './account/index.ts'
export * from './classification.ts'
export * from './contract.ts'
export * from './deletion-guard.ts'
export { createEventFilter, type EventFilter, type EventKind, matchesType } from './events/kind.ts'
export { factTypes } from './fact-types.ts'
export * from './facts.ts'
export { factsSchema } from './facts-schema.ts'
export * from './limits.ts'
export * from './maintenance-facts.ts'
export type { OpenApiDocument } from './openapi/document.ts'
export { operatorOpenApiFor, operatorTitleFor } from './openapi/operator.ts'
export { openApiFor } from './openapi/public.ts'
export { componentName, returnedName } from './openapi/schemas.ts'
export * from './operator/index.ts'
export { comment, type PrintableSchema, printMembers, printType } from './print-type.ts'
export * from './profile/changes.ts'
export * from './profile/demo.ts'
export { ProfileError, parseProfile, profileProblems } from './profile/parse.ts'
export * from './profile/profile.ts'
export { itemLists } from './public/changes.ts'
export * from './public/errors.ts'
export * from './public/index.ts'
export * from './public/operation.ts'
export * from './public/parameters.ts'
export * from './public/responses.ts'
export * from './public/snapshots.ts'
export { type ListedResource, listedResources, rankScores } from './resources/change.ts'
export { battleVictors, warStatuses } from './resources/war.ts'
export * from './schema-errors.ts'
export * from './scopes.ts'
export {
  comesBackExactly,
  decimalMax,
  digitsOf,
  idPattern,
  isExactDecimal,
  isPublicHostName,
  toExactDecimal,
} from './shared-schemas.ts'
export * from './text-origin.ts'
export { version } from './version.ts'
export * from './webhooks.ts'
