/** What an operator token may do, with the sentence that whoever makes one reads. */
export const operatorRoles = {
  facts:
    'Send facts, which may also leave out, redact, erase and begin anew; see how far a feed has come, and settle refused batches.',
  identity: 'Make verification codes and hand-over links for players.',
  metrics: 'Read the metrics.',
  admin: 'Do everything, also make and revoke tokens.',
} as const

export type OperatorRole = keyof typeof operatorRoles

export const operatorRoleNames = Object.keys(operatorRoles) as OperatorRole[]

/** Whether a token of these roles may do what one of `needed` opens. `admin` opens everything. */
export const holdsRole = (held: ReadonlySet<OperatorRole>, needed: readonly OperatorRole[]): boolean =>
  held.has('admin') || needed.some(role => held.has(role))
