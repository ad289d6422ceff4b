import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { GuideName } from './guide-names.ts'
import { usePageInfo } from './use-page-info.ts'

/** A link to a guide of the documentation. */
export function GuideLink({ guide, children }: { guide: GuideName; children: ReactNode }) {
  const { docs_url } = usePageInfo()
  return (
    <Anchor href={`${docs_url}/guides/${guide}`} inherit underline="always">
      {children}
    </Anchor>
  )
}
