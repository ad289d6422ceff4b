import { callRoutes } from './call-routes.ts'
import { codeRoutes } from './code-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { pageRoutes } from './page-routes.ts'
import type { AccountRoute } from './route.ts'
import { sessionRoutes } from './session-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** All that the page may ask for. */
export const accountRoutes: AccountRoute[] = [
  ...pageRoutes,
  ...sessionRoutes,
  ...codeRoutes,
  ...keyRoutes,
  ...callRoutes,
  ...webhookRoutes,
]
