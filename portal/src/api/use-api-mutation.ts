import { useMutation, useQueryClient } from '@tanstack/react-query'

/** A change, and the names of the queries that it makes stale. */
export function useApiMutation<Sent, Answer>(
  send: (sent: Sent) => Promise<Answer>,
  makesStale: string[],
  onSuccess?: (answer: Answer) => void,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: answer => {
      onSuccess?.(answer)
      // Not waited for: what a change answers, such as a key shown once, is there before any list is.
      for (const name of makesStale) void queryClient.invalidateQueries({ queryKey: [name] })
    },
  })
}
