import './ui/mantine-styles.ts'
import './ui/global.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiContext } from './api/context.ts'
import { createQueryClient } from './api/query-client.ts'
import { createRequest } from './api/request.ts'
import { createServerClock } from './api/server-clock.ts'
import { App } from './app.tsx'
import { takeHandoverToken } from './session/handover-page.tsx'
import { readSession, replaceSession } from './session/use-session.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root"')

const clock = createServerClock()
const queryClient = createQueryClient(() => {
  const wasSignedIn = readSession(queryClient) !== null
  if (wasSignedIn) replaceSession(queryClient, { signedIn: null, hasEnded: true })
})
const request = createRequest({ clock, csrfToken: () => readSession(queryClient)?.csrf_token ?? null })

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ApiContext value={{ request, clock }}>
        <App firstToken={takeHandoverToken()} />
      </ApiContext>
    </QueryClientProvider>
  </StrictMode>,
)
