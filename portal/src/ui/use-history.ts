import { useQuery } from '@tanstack/react-query'
import { useClock } from '../api/context.ts'
import { readPublic } from '../api/resources.ts'

const dayMs = 86_400_000

/** The points of the last days, of a list of the public API. */
export function useHistory<Point>(path: string, days: number, query: Record<string, string> = {}) {
  const clock = useClock()
  const read = async () => {
    const from = new Date(clock.now() - days * dayMs).toISOString()
    const { data } = await readPublic<{ data: Point[] }>(path, { ...query, from, limit: 400 })
    return data
  }
  return useQuery({ queryKey: ['history', path, days, query], queryFn: read })
}
