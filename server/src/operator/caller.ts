import type { OperatorRole } from '@chancery/contract'

/** Who calls the operator listener. */
export interface OperatorCaller {
  /** Of the token: `main` for the one of the configuration. */
  id: string
  name: string
  roles: ReadonlySet<OperatorRole>
}

export const mainCaller: OperatorCaller = { id: 'main', name: 'main', roles: new Set(['admin']) }

export const actorOf = ({ id, name }: OperatorCaller) => ({ token_id: id, token_name: name })
