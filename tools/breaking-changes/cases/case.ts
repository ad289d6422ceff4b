import type { Edit } from '../edit.ts'

/** A kind of change: how it breaks callers, what is reported, and how its opposite does no harm. */
export interface Case {
  kind: string
  document: 'public' | 'operator'
  /** An addition to both documents, for a construct that the published ones do not use. */
  given?: Edit
  breaks: Edit
  reported: string[]
  /** The same in the harmless direction, where there is one. */
  harmless?: Edit
}

export const publicCase = (
  kind: string,
  breaks: Edit,
  reported: string | string[],
  harmless?: Edit,
): Case => ({
  kind,
  document: 'public',
  breaks,
  reported: [reported].flat(),
  ...(harmless && { harmless }),
})
export const operatorCase = (...given: Parameters<typeof publicCase>): Case => ({
  ...publicCase(...given),
  document: 'operator',
})
