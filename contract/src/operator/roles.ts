/** What an operator token may do, with the sentence that whoever makes one reads. */
export const operatorRoles = {
  facts:
    'Send facts (including deletions, redactions and resets, but not `erase`), read feed positions, and read, retry or drop refused batches of every sender. A holder can change the whole world, and can find out what other senders have sent: a snapshot that is refused says how many things it leaves out, and a batch of a guessed id and content is answered as a duplicate. Give it to servers that may know all that the game sends.',
  identity:
    'Make verification codes and hand-over links for every player. Each link is a session in the developer settings, with the keys and webhooks of that player: keep the token as safe as the passwords of all players.',
  metrics: 'Read the metrics.',
  admin: 'Do everything, also erase players, and make and revoke tokens.',
} as const

export type OperatorRole = keyof typeof operatorRoles

export const operatorRoleNames = Object.keys(operatorRoles) as OperatorRole[]

/** Whether a token of these roles may do what one of `needed` opens. `admin` opens everything. */
export const hasRole = (held: ReadonlySet<OperatorRole>, needed: readonly OperatorRole[]): boolean =>
  held.has('admin') || needed.some(role => held.has(role))
