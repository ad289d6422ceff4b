import type { KeyUsage } from '@chancery/contract'
import { Anchor } from '@mantine/core'
import { basePath } from '../api/base-path.ts'
import { Pager } from '../ui/pager.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty } from '../ui/section.tsx'
import { WrongParameter } from './status-code.tsx'

type Rejected = KeyUsage['errors'][number]

const numbers = new Intl.NumberFormat('en')

const columns: Column<Rejected>[] = [
  {
    label: 'Error code',
    render: ({ code }) => (
      <Anchor href={`${basePath()}/docs/errors/${code}`} inherit underline="always">
        <code>{code}</code>
      </Anchor>
    ),
  },
  {
    label: 'Parameter',
    render: ({ parameter }) => (parameter ? <WrongParameter name={parameter} /> : 'None'),
  },
  { label: 'Requests', render: ({ calls }) => numbers.format(calls), isNumber: true },
]

/** How many requests were rejected, by error code and parameter. */
export function Rejections({ errors }: { errors: Rejected[] }) {
  if (errors.length === 0) return <Empty>No rejected requests.</Empty>
  return (
    <Pager rows={errors} noun="errors">
      {rows => (
        <RecordTable
          caption="Rejected requests by error code"
          columns={columns}
          rows={rows}
          rowKey={({ code, parameter }) => `${code} ${parameter}`}
        />
      )}
    </Pager>
  )
}
