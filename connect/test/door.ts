import { contractFor, demoProfile } from '@chancery/contract'
import { connectDoor } from '../../cli/src/door/connect-door.ts'
import { openDoor } from '../../cli/src/door/operator-door.ts'
import type { Door } from '../src/door.ts'

export const contract = contractFor(demoProfile)

/** The door of a service, as the commands open it. */
export const doorOf = ({
  operatorUrl: url,
  operatorToken: token,
}: {
  operatorUrl: string
  operatorToken: string
}): Door => connectDoor(openDoor({ url, token }))
