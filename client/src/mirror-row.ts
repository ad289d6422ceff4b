import { invalidResponse } from './errors.ts'
import { type MirroredResource, mirrored } from './mirrored.ts'

/** An item as a row of its table. Of a ranked item the text around its rank is stored, because its rank changes with the scores of others. */
export interface MirrorRow {
  key: string
  values: [key: string, json: string] | [key: string, head: string, score: number, tail: string]
}

/** Tokens of JSON that matter for nesting; braces within strings do not. */
const tokens = () => /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g

/** The row of an item, from its text as it was received. */
export function rowOf(resource: MirroredResource, text: string): MirrorRow {
  const { key: keyField, score: scoreField } = mirrored[resource]
  let item: Record<string, unknown>
  try {
    item = JSON.parse(text)
  } catch {
    throw invalidResponse(`An item of ${resource} is not valid JSON.`)
  }
  const key = item[keyField]
  if (typeof key !== 'string') throw invalidResponse(`An item of ${resource} has no ${keyField}.`)
  if (scoreField === undefined) return { key, values: [key, text] }
  const score = item[scoreField]
  const rank = findRank(text)
  if (typeof score !== 'number' || rank === undefined)
    throw invalidResponse(`An item of ${resource} has no ${scoreField} or no rank.`)
  return { key, values: [key, text.slice(0, rank.start), score, text.slice(rank.end)] }
}

/** Where the value of the item's own `rank` is; members of nested objects may have the same name. */
function findRank(text: string): { start: number; end: number } | undefined {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(tokens())) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token === '"rank"') {
      const [member, value] = /"rank":(null|\d+)/y.exec(text.slice(index)) ?? []
      if (member !== undefined && value !== undefined)
        return { start: index + member.length - value.length, end: index + member.length }
    }
  }
  return undefined
}

/** The texts of the items in the body of a list. */
export function itemTexts(body: string): string[] {
  const texts: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of body.matchAll(tokens())) {
    if (token === '{' || token === '[') {
      depth += 1
      if (depth === 3) start = index
    } else if (token === '}' || token === ']') {
      if (depth === 3) texts.push(body.slice(start, index + 1))
      depth -= 1
    }
  }
  return texts
}
