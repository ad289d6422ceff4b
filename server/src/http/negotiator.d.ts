/** Its own types are older than `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(req: { headers: Record<string, string | string[] | undefined> })
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
    mediaType(available: readonly string[]): string | undefined
  }
}
