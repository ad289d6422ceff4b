/** Says of an operation, a parameter or a field that it will go. Answers that hold it carry Deprecation and Sunset headers. */
export interface Deprecation {
  /** Since when it is deprecated: RFC 3339 in UTC. */
  since: string
  /** When it goes: RFC 3339 in UTC. */
  sunset: string
}

/** A description with what its readers have to know of a part that will go. */
export const withDeprecation = (description: string, deprecation: Deprecation | undefined): string =>
  deprecation
    ? `${description} Deprecated since ${day(deprecation.since)}; it goes on ${day(deprecation.sunset)}.`.trimStart()
    : description

const day = (time: string) => time.slice(0, 10)
