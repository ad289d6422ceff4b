import type { AccountEndpoint, EndpointDraft } from '@chancery/contract'

/** A draft while it is written: ids as the text they are typed as. */
export interface DraftText {
  url: string
  description: string
  types: string[] | null
  nationIds: string
  allianceIds: string
}

export const emptyDraft: DraftText = { url: '', description: '', types: null, nationIds: '', allianceIds: '' }

export const draftTextOf = (endpoint: AccountEndpoint): DraftText => ({
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.types,
  nationIds: endpoint.nation_ids?.join(' ') ?? '',
  allianceIds: endpoint.alliance_ids?.join(' ') ?? '',
})

const idsOf = (text: string) => {
  const ids = text.split(/[\s,;]+/).filter(Boolean)
  return ids.length > 0 ? [...new Set(ids)] : null
}

export const draftOf = (text: DraftText): EndpointDraft => ({
  url: text.url.trim(),
  description: text.description.trim(),
  types: text.types,
  nation_ids: idsOf(text.nationIds),
  alliance_ids: idsOf(text.allianceIds),
})
