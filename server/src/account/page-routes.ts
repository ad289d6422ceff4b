import Type from 'typebox'
import { notFound } from '../http/http-error.ts'
import { listAccountLog } from './account-log.ts'
import { isDemo } from './demo-host.ts'
import { openRoute, playerRoute, takesNothing } from './route.ts'

const explored = Type.Object(
  {
    kind: Type.Union([Type.Literal('nation'), Type.Literal('alliance')]),
    id: Type.String({ minLength: 1, maxLength: 64 }),
  },
  { additionalProperties: false },
)

/** What the page is, what others see, and what was done. */
export const pageRoutes = [
  openRoute('GET', '/page', takesNothing, async ({ context, req }) => ({
    ...context.pageInfo(),
    is_demo: isDemo(context, req),
  })),

  playerRoute(
    'GET',
    '/explore',
    { ...takesNothing, query: explored },
    async ({ context, session: { playerId }, query: { kind, id } }) => {
      const exploration = await context.explore(playerId, kind, id)
      if (!exploration) throw notFound(kind)
      return exploration
    },
  ),

  playerRoute('GET', '/log', takesNothing, async ({ context, session: { playerId } }) => ({
    data: await listAccountLog(context.pools.access, playerId),
  })),
]
