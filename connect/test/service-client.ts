import { contractFor, demoProfile } from '@chancery/contract'
import { createServiceClient } from '../../cli/src/game-connection.ts'
import { createOperatorClient } from '../../cli/src/operator-client/operator-client.ts'
import type { ServiceClient } from '../src/service-client.ts'

export const contract = contractFor(demoProfile)

/** The client of a service, as the commands open it. */
export const clientOf = ({
  operatorUrl: url,
  operatorToken: token,
}: {
  operatorUrl: string
  operatorToken: string
}): ServiceClient => createServiceClient(createOperatorClient({ url, token }))
