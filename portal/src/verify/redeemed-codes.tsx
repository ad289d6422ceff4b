import type { RedeemedCode } from '@chancery/contract'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty } from '../ui/section.tsx'
import { ExactTime, TimeAgo } from '../ui/time-ago.tsx'

const columns: Column<RedeemedCode>[] = [
  { label: 'Redeemed', render: ({ redeemed_at }) => <TimeAgo time={redeemed_at} /> },
  {
    label: 'By',
    render: ({ with_key }) => (with_key ? 'A bot with an API key' : 'Somebody without an API key'),
  },
  { label: 'Only for', render: ({ bound_to }) => bound_to ?? 'Any chat account' },
  { label: 'Made', render: ({ created_at }) => <ExactTime time={created_at} /> },
]

export function RedeemedCodes({ codes }: { codes: RedeemedCode[] }) {
  if (codes.length === 0) return <Empty>No code was redeemed.</Empty>
  return (
    <RecordTable
      caption="Codes redeemed in the last 30 days"
      columns={columns}
      rows={codes}
      rowKey={({ id }) => id}
    />
  )
}
