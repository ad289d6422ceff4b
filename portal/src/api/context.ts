import { createContext, useContext } from 'react'
import type { Client } from './client.ts'
import type { ServerClock } from './server-clock.ts'

export interface ApiParts {
  client: Client
  clock: ServerClock
}

export const ApiContext = createContext<ApiParts | null>(null)

function useApiParts(): ApiParts {
  const parts = useContext(ApiContext)
  if (!parts) throw new Error('the page stands outside its ApiContext')
  return parts
}

export const useClient = () => useApiParts().client
export const useClock = () => useApiParts().clock
