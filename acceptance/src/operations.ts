import type { Exchange } from './exchange.ts'
import { createChecker } from './fuzz/checker.ts'
import { type Api, isStream, itemsOf, type Operation } from './fuzz/document.ts'
import { responseProblems } from './fuzz/response-problems.ts'
import { digText, type JsonObject } from './json.ts'
import { orSkip } from './spec-test.ts'
import type { World } from './world.ts'

/** A GET of the document; one for each board of rankings. */
export interface Read {
  path: string
  isList: boolean
  /** Whether it needs neither a key nor a code. */
  isPublic: boolean
}

/** The reads that the server documents, without the stream. */
export function readsOf(api: Api): Read[] {
  const reads = api.operations.filter(operation => operation.method === 'GET' && !isStream(operation))
  return reads.flatMap(operation => {
    const boards = operation.parameters.find(({ name }) => name === 'board')?.schema.enum
    const isPublic = !operation.needsKey && !operation.path.includes('{code}')
    return (boards?.map(board => `?board=${board}`) ?? ['']).map(query => ({
      path: operation.path + query,
      isList: itemsOf(api, operation) !== undefined,
      isPublic,
    }))
  })
}

/** A path with an id of the world in the place of {id}, and a code that does not exist. */
export async function fill(path: string, world: World): Promise<string> {
  if (!path.includes('{id}')) return path.replace('{code}', '2345678923')
  const items: Record<string, () => Promise<JsonObject | undefined>> = {
    '/nations/{id}': world.owner,
    '/nations/{id}/history': world.owner,
    '/wars/{id}': async () => (await world.wars())[0],
    '/wars/{id}/battles': world.foughtWar,
    '/battles/{id}': world.battle,
    '/treaties/{id}': world.treaty,
  }
  const find = items[path]
  const id = find
    ? digText(orSkip(await find(), 'the world has no such item'), 'id')
    : await world.allianceId()
  return path.replace('{id}', id)
}

/** A path with another parameter. */
export const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Finds the deviations of responses from the document: a missing, undescribed or invalid member, header or status. */
export function createDocumentCheck(api: Api): (exchange: Exchange) => string[] {
  const checker = createChecker(api.document)
  const patterns = api.operations.map((operation): [RegExp, Operation] => [
    new RegExp(`^(${api.bases.join('|')})${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  ])
  return exchange => {
    const path = exchange.url.slice(api.origin.length).replace(/\?.*/, '')
    const found = patterns.find(([pattern]) => pattern.test(path))
    return found ? responseProblems(checker, found[1], exchange) : [`${path} is not documented`]
  }
}
