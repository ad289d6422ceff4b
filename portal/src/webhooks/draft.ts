import type { AccountEndpoint, EndpointDraft } from '@chancery/contract'

/** A draft while it is written: ids as the text they are typed as. */
export interface EndpointFormValues {
  url: string
  description: string
  types: string[] | null
  nationIds: string
  allianceIds: string
}

export const emptyFormValues: EndpointFormValues = {
  url: '',
  description: '',
  types: null,
  nationIds: '',
  allianceIds: '',
}

export const formValuesOf = (endpoint: AccountEndpoint): EndpointFormValues => ({
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.types,
  nationIds: endpoint.nation_ids?.join(' ') ?? '',
  allianceIds: endpoint.alliance_ids?.join(' ') ?? '',
})

const parseIds = (text: string) => {
  const ids = text.split(/[\s,;]+/).filter(Boolean)
  return ids.length > 0 ? [...new Set(ids)] : null
}

export const draftOf = (text: EndpointFormValues): EndpointDraft => ({
  url: text.url.trim(),
  description: text.description.trim(),
  types: text.types,
  nation_ids: parseIds(text.nationIds),
  alliance_ids: parseIds(text.allianceIds),
})
