import type { Client } from '../client.ts'
import type { Keys } from '../keys.ts'
import type { Probe } from './probe.ts'
import { liveCodes } from './probes/codes.ts'
import { consistency } from './probes/consistency.ts'
import { limitsReached } from './probes/limits.ts'
import { links } from './probes/links.ts'
import { undocumentedMethods } from './probes/methods.ts'
import { pages } from './probes/pages.ts'
import { oddPaths } from './probes/paths.ts'
import { reads } from './probes/reads.ts'
import type { Session } from './session.ts'

/** All probes of a read-only API; with the operator API, which creates keys and codes, also those of limits and codes. */
export const publicProbes = (session: Session, operator?: { keys: Keys; client: Client }): Probe[] => [
  ...reads(session),
  undocumentedMethods(session),
  oddPaths(session),
  ...(operator ? [limitsReached(session, operator.keys), ...liveCodes(session, operator.client)] : []),
  ...consistency(session),
  ...pages(session),
  ...links(session),
]
