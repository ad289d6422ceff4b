/** An import that breaks a rule. */
export interface Violation {
  rule: string
  from: string
  to: string
}
