import { bases, type Contract, defaultScopes, type PageInfo, scopeNames, scopes } from '@chancery/contract'
import type { Logo } from './logo.ts'
import { sampleMessage } from './sample-event.ts'

/** Where the logo is served. */
export const logoPath = '/developers/logo'

interface PageParts {
  contract: Contract
  publicUrl: () => string
  pageColor: string
  pageLogo: Logo | undefined
  webhooksAllowLocal: boolean
}

/** What the page is, apart from who asks. */
export function createPageInfo(parts: PageParts): () => Omit<PageInfo, 'is_demo'> {
  const { contract, publicUrl, pageColor, pageLogo, webhooksAllowLocal } = parts
  const { name, url } = contract.profile
  const event_kinds = Object.entries(contract.eventKinds).map(([type, { description }]) => ({
    type,
    description,
    sample: sampleMessage(contract, type),
  }))
  return () => ({
    game: { name, url },
    color: pageColor,
    logo_url: pageLogo ? logoPath : null,
    api_url: publicUrl() + bases.canonical,
    docs_url: `${publicUrl()}/docs`,
    scopes: scopeNames.map(scope => ({
      name: scope,
      description: scopes[scope],
      is_private: !defaultScopes.includes(scope),
    })),
    default_scopes: [...defaultScopes],
    event_kinds,
    webhooks_allow_local: webhooksAllowLocal,
  })
}
