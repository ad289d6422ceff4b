import type { Contract } from '../contract.ts'
import { offeredBy } from '../openapi/description.ts'
import { version } from '../version.ts'
import { type OperatorErrorCode, operatorErrors } from './errors.ts'
import { operatorOperations } from './index.ts'
import { operatorDescription } from './openapi/description.ts'
import type { OperatorDocument } from './openapi/document.ts'
import { errorResponse, errorResponseName, operatorHeaders } from './openapi/errors.ts'
import { documentedOperation } from './openapi/operations.ts'
import { createSchemas } from './openapi/schemas.ts'
import { type OperatorOperation, operatorTags } from './operation.ts'

/** What the document is called. */
export const operatorTitleFor = ({ profile }: Contract): string => `${profile.name}: the private door`

/** The OpenAPI 3.1 document of the operator listener for one game. Its addresses are relative to where it is read. */
export function operatorOpenApiFor(contract: Contract): OperatorDocument {
  const { name } = contract.profile
  const schemas = createSchemas(contract)
  const paths: OperatorDocument['paths'] = {}
  const described: OperatorOperation[] = Object.values(operatorOperations)
  for (const operation of described) {
    const documented = { [operation.method.toLowerCase()]: documentedOperation(operation, schemas) }
    paths[operation.path] = { ...paths[operation.path], ...documented }
  }
  schemas.addShared()
  return {
    openapi: '3.1.0',
    info: {
      title: operatorTitleFor(contract),
      version,
      summary: `How the servers of ${name} speak to Chancery.`,
      description: operatorDescription(name),
      ...offeredBy(contract.profile),
    },
    servers: [{ url: '/', description: 'This listener.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(operatorTags).map(([tag, description]) => ({ name: tag, description })),
    paths,
    components: {
      schemas: schemas.components,
      responses: Object.fromEntries(
        (Object.keys(operatorErrors) as OperatorErrorCode[]).map(code => [
          errorResponseName(code),
          errorResponse(code),
        ]),
      ),
      headers: operatorHeaders,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An operator token. `x-roles` names the roles any one of which opens an operation.',
        },
      },
    },
  }
}
