import type { LoggedCall } from '@chancery/contract'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { StatusCode } from './status-code.tsx'

/** As many as are read at a glance; the others on demand. */
const firstRows = 25

const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'medium' })

const columns: Column<LoggedCall>[] = [
  { label: 'Time', render: ({ at }) => <time dateTime={at}>{clock.format(new Date(at))}</time> },
  { label: 'Operation', render: ({ operation }) => <code>{operation}</code> },
  { label: 'Status', render: ({ status }) => <StatusCode status={status} /> },
  {
    label: 'Duration',
    render: ({ duration_ms }) => `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`,
    isNumber: true,
  },
  { label: 'Request id', render: ({ request_id }) => <code>{request_id}</code> },
]
const withKey: Column<LoggedCall>[] = [{ label: 'Key', render: ({ key_name }) => <bdi>{key_name}</bdi> }]

interface Props {
  caption: string
  calls: LoggedCall[]
  showsKey?: boolean
}

export function RequestTable({ caption, calls, showsKey }: Props) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      <RecordTable
        caption={caption}
        columns={showsKey ? [...columns, ...withKey] : columns}
        rows={isWhole ? calls : calls.slice(0, firstRows)}
        rowKey={call => `${call.request_id} ${call.at}`}
      />
      {!isWhole && calls.length > firstRows && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setWhole(true)}>
          Show all {calls.length}
        </Button>
      )}
    </>
  )
}
