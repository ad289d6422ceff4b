import type { ReactNode } from 'react'
import classes from './record-table.module.css'
import { Empty } from './section.tsx'

export interface Column<Row> {
  label: string
  render: (row: Row) => ReactNode
  isNumber?: boolean
}

interface Props<Row> {
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  /** Shown in place of a table without rows. */
  empty?: ReactNode
}

/**
 * A table; on a narrow screen each row is a card. Roles are explicit because browsers drop the implicit ones from elements that
 * are not laid out as a table.
 */
export function RecordTable<Row>({ caption, columns, rows, rowKey, empty }: Props<Row>) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table className={classes.table} role="table" aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, isNumber }) => (
            <th key={label} role="columnheader" scope="col" data-number={isNumber || undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <tr key={rowKey(row)} role="row">
            {columns.map(({ label, render, isNumber }) => (
              <td key={label} role="cell" data-label={label} data-number={isNumber || undefined}>
                <div>{render(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  )
}
