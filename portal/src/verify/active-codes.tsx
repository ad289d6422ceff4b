import type { LiveCode } from '@chancery/contract'
import { Badge, Button, Text } from '@mantine/core'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { formatCountdown, formatTime } from '../ui/format-time.ts'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { useNow } from '../ui/use-now.ts'
import { useCancelCode, useDisplayedCode, useSetDisplayedCode } from './use-codes.ts'

/** The browser's clock may be a little behind: no code has more left than it had at first. */
const lifeMs = ({ created_at, expires_at }: LiveCode) => Date.parse(expires_at) - Date.parse(created_at)

export function ActiveCodes({ codes, max }: { codes: LiveCode[]; max: number }) {
  const now = useNow(1000, codes.length > 0)
  const cancel = useCancelCode()
  const shown = useDisplayedCode()
  const setShown = useSetDisplayedCode()

  const columns: Column<LiveCode>[] = [
    {
      label: 'Made',
      render: ({ created_at, id }) => (
        <>
          <TimeAgo time={created_at} /> {id === shown?.id && <Badge variant="light">shown above</Badge>}
        </>
      ),
    },
    {
      label: 'Works for',
      render: code => formatCountdown(Math.min(lifeMs(code), Date.parse(code.expires_at) - now)),
    },
    { label: 'Only for', render: ({ bound_to }) => bound_to ?? 'Any chat account' },
    {
      label: 'Cancel',
      render: ({ id, created_at }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Cancel the code made ${formatTime(created_at)}`}
          loading={cancel.isPending && cancel.variables === id}
          onClick={() => cancel.mutate(id, { onSuccess: () => id === shown?.id && setShown(null) })}
        >
          Cancel
        </Button>
      ),
    },
  ]
  if (codes.length === 0) return <Empty>No code is waiting to be redeemed.</Empty>
  return (
    <>
      {cancel.error && <ErrorNotice error={cancel.error} />}
      <RecordTable caption="Codes that are waiting" columns={columns} rows={codes} rowKey={({ id }) => id} />
      <Text size="sm" c="dimmed" mt="sm">
        A code itself is shown only when it is made. There can be {max} at a time.
      </Text>
    </>
  )
}
