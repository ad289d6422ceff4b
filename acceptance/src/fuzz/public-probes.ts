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

/** All questions to an API that only reads. With a door at which keys and codes are made, also what comes of those. */
export const publicProbes = (session: Session, door?: { keys: Keys; client: Client }): Probe[] => [
  ...reads(session),
  undocumentedMethods(session),
  oddPaths(session),
  ...(door ? [limitsReached(session, door.keys), ...liveCodes(session, door.client)] : []),
  ...consistency(session),
  ...pages(session),
  ...links(session),
]
