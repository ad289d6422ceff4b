/** Says of an operation, a parameter or a field that it will go. Answers that hold it carry Deprecation and Sunset headers. */
export interface Deprecation {
  /** Since when it is deprecated: RFC 3339 in UTC. */
  since: string
  /** When it goes: RFC 3339 in UTC. */
  sunset: string
}
