import type { LiveCode } from '@chancery/contract'
import { Badge, Button, Text } from '@mantine/core'
import { ErrorNotice } from '../page/error-notice.tsx'
import { type Column, RecordTable } from '../page/record-table.tsx'
import { Empty } from '../page/section.tsx'
import { TimeAgo } from '../page/time-ago.tsx'
import { writeCountdown, writeTime } from '../page/time-words.ts'
import { useNow } from '../page/use-now.ts'
import { useCancelCode, useSetShownCode, useShownCode } from './use-codes.ts'

/** The browser's clock may be a little behind: no code has more left than it had at first. */
const lifeMs = ({ created_at, expires_at }: LiveCode) => Date.parse(expires_at) - Date.parse(created_at)

export function LiveCodes({ codes, max }: { codes: LiveCode[]; max: number }) {
  const now = useNow(1000, codes.length > 0)
  const cancel = useCancelCode()
  const shown = useShownCode()
  const setShown = useSetShownCode()

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
      render: code => writeCountdown(Math.min(lifeMs(code), Date.parse(code.expires_at) - now)),
    },
    { label: 'Only for', render: ({ bound_to }) => bound_to ?? 'Any chat account' },
    {
      label: 'Cancel',
      render: ({ id, created_at }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Cancel the code made ${writeTime(created_at)}`}
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
