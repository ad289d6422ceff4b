import type { Keys } from '../keys.ts'
import type { Probe } from './probe.ts'
import { likeness } from './probes/likeness.ts'
import { limitsReached } from './probes/limits.ts'
import { links } from './probes/links.ts'
import { undocumentedMethods } from './probes/methods.ts'
import { pages } from './probes/pages.ts'
import { oddPaths } from './probes/paths.ts'
import { reads } from './probes/reads.ts'
import type { Session } from './session.ts'

/** All questions to an API that only reads. With keys that can be made, also what comes beyond their limit. */
export const publicProbes = (session: Session, keys?: Keys): Probe[] => [
  ...reads(session),
  undocumentedMethods(session),
  oddPaths(session),
  ...(keys ? [limitsReached(session, keys)] : []),
  ...likeness(session),
  ...pages(session),
  ...links(session),
]
