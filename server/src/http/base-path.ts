/**
 * The path of the public URL: `/eu1` of `https://api.game.example/eu1`, for several worlds at one address. Pages, redirects, cookies and
 * documents contain it. Requests have it unless a proxy removed it.
 */

/** Names of our own paths. None is in a base path: with or without it, a request must have one meaning. */
export const ownNames = ['api', 'developers', 'docs', 'downloads', 'healthz', 'readyz'] as const

const basePathForm = new RegExp(`^(/(?!(${ownNames.join('|')})(/|$))[A-Za-z0-9_-]{1,64}){1,4}$`)

/** Whether a path may be a base path: no slash at the end, and no name of ours. */
export const isBasePath = (path: string): boolean => basePathForm.test(path)

/** The path of a public URL, without a slash at the end; empty where it has none. */
export const basePathOf = (publicUrl: string): string => publicUrl.replace(/^https?:\/\/[^/]*/, '')

/** A request target without the base path. A target without it stays as it is: health checks of a process have none. */
export function withoutBasePath(basePath: string, target: string): string {
  const [origin = ''] = /^https?:\/\/[^/?]*/i.exec(target) ?? []
  if (!target.startsWith(basePath, origin.length)) return target
  const rest = target.slice(origin.length + basePath.length)
  if (rest !== '' && !rest.startsWith('/') && !rest.startsWith('?')) return target
  return `${origin}${rest.startsWith('/') ? rest : `/${rest}`}`
}

/** HTML whose links and scripts have the base path. Those that have it stay as they are. */
export const withBasePath = (basePath: string, html: string): string =>
  basePath === ''
    ? html
    : html.replace(RegExp(`(?<=<[a-z][^<>]* (?:href|src)=")(?=/)(?!${basePath}/)`, 'g'), basePath)
