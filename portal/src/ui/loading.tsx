import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'

/** Holds the place of what is coming, at about its height, so that nothing jumps. */
export function Loading({ rows = 3, rowHeight = 44 }: { rows?: number; rowHeight?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={rowHeight} />
      ))}
    </Stack>
  )
}
