/** The roles of operator tokens, with the descriptions that operators read. */
export const operatorRoles = {
  facts:
    'Send facts (including deletions, redactions and resets, but not `erase`), read feed positions, and read, retry or drop rejected batches of every sender. A holder can change the whole world, and can find out what other senders have sent: a rejected snapshot states how many rows it omits, and a batch with a guessed id and content is reported as a duplicate. Give it to servers that may know all that the game sends.',
  identity:
    'Create verification codes and handover links for every player. Each link gives access to the developer settings with the keys and webhooks of that player: protect the token like the passwords of all players.',
  metrics: 'Read the metrics.',
  admin: 'Everything, including erasing players, and creating and revoking tokens.',
} as const

export type OperatorRole = keyof typeof operatorRoles

export const operatorRoleNames = Object.keys(operatorRoles) as OperatorRole[]

/** Whether these roles include one of `needed`, or `admin`. */
export const hasRole = (held: ReadonlySet<OperatorRole>, needed: readonly OperatorRole[]): boolean =>
  held.has('admin') || needed.some(role => held.has(role))
