import { type Contract, demoProfile, operatorTitleFor, profilesEqual } from '@chancery/contract'
import type { Site } from './layout.ts'
import type { Listener } from './render-pages.ts'

/** Where the demo listens by default, and where the guides in the repository expect it. */
const usualUrl = 'http://127.0.0.1:8080'

/** What the pages of a listener say of this service. Those of the operator listener have no address in them. */
export const siteOf = (contract: Contract, listener: Listener, publicUrl = usualUrl): Site =>
  listener === 'public'
    ? { title: `${contract.profile.name} API`, publicUrl }
    : { title: operatorTitleFor(contract), publicUrl: usualUrl }

/** Whether pages that follow from the contract are as they were built. */
export const isBuiltContract = ({ profile }: Contract): boolean => profilesEqual(profile, demoProfile)
