import { Button, Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface Props<Row> {
  rows: Row[]
  /** What the rows are, such as "requests". */
  noun: string
  rowsPerPage?: number
  children: (rows: Row[]) => ReactNode
}

/** Shows a long list by page. */
export function Pager<Row>({ rows, noun, rowsPerPage = 10, children }: Props<Row>) {
  const [page, setPage] = useState(0)
  const last = Math.max(0, Math.ceil(rows.length / rowsPerPage) - 1)
  // The list may have become shorter.
  const current = Math.min(page, last)
  const start = current * rowsPerPage
  const shown = rows.slice(start, start + rowsPerPage)
  return (
    <>
      {children(shown)}
      {last > 0 && (
        <Group component="nav" aria-label={`Pages of ${noun}`} gap="xs" mt="sm">
          <Button
            size="compact-sm"
            variant="default"
            disabled={current === 0}
            onClick={() => setPage(current - 1)}
          >
            Previous
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={current === last}
            onClick={() => setPage(current + 1)}
          >
            Next
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {start + 1} to {start + shown.length} of {rows.length} {noun}
          </Text>
        </Group>
      )}
    </>
  )
}
