import type { LoggedCall } from '@chancery/contract'
import { Pager } from '../ui/pager.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { TimeWithSeconds } from '../ui/time.tsx'
import { StatusCode, WrongParameter } from './status-code.tsx'
import classes from './usage.module.css'

const columns: Column<LoggedCall>[] = [
  { label: 'Time', render: ({ at }) => <TimeWithSeconds time={at} /> },
  { label: 'Operation', render: ({ operation }) => <code>{operation}</code> },
  { label: 'Status', render: call => <Outcome call={call} /> },
  {
    label: 'Duration',
    render: ({ duration_ms }) => `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`,
    isNumber: true,
  },
  { label: 'Request ID', render: ({ request_id }) => <code>{request_id}</code> },
]
const keyColumn: Column<LoggedCall> = { label: 'Key', render: ({ key_name }) => <bdi>{key_name}</bdi> }

/** The status, and of an error its code and the parameter that it is about. */
function Outcome({ call: { status, error_code, error_parameter } }: { call: LoggedCall }) {
  return (
    <>
      <StatusCode status={status} />
      {error_code && (
        <span className={classes.error}>
          {' '}
          <code>{error_code}</code>
          {error_parameter && (
            <>
              : <WrongParameter name={error_parameter} />
            </>
          )}
        </span>
      )}
    </>
  )
}

interface Props {
  caption: string
  requests: LoggedCall[]
  showsKey?: boolean
}

export function RequestTable({ caption, requests, showsKey }: Props) {
  return (
    <Pager rows={requests} noun="requests">
      {rows => (
        <RecordTable
          caption={caption}
          columns={showsKey ? [...columns, keyColumn] : columns}
          rows={rows}
          rowKey={({ request_id, at }) => `${request_id} ${at}`}
        />
      )}
    </Pager>
  )
}
