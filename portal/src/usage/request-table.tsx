import type { LoggedCall } from '@chancery/contract'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { StatusCode } from './status-code.tsx'

/** Rows shown before "Show all". */
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
  { label: 'Request ID', render: ({ request_id }) => <code>{request_id}</code> },
]
const keyColumn: Column<LoggedCall> = { label: 'Key', render: ({ key_name }) => <bdi>{key_name}</bdi> }

interface Props {
  caption: string
  requests: LoggedCall[]
  showsKey?: boolean
}

export function RequestTable({ caption, requests, showsKey }: Props) {
  const [showsAll, setShowsAll] = useState(false)
  return (
    <>
      <RecordTable
        caption={caption}
        columns={showsKey ? [...columns, keyColumn] : columns}
        rows={showsAll ? requests : requests.slice(0, firstRows)}
        rowKey={({ request_id, at }) => `${request_id} ${at}`}
      />
      {!showsAll && requests.length > firstRows && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setShowsAll(true)}>
          Show all {requests.length}
        </Button>
      )}
    </>
  )
}
