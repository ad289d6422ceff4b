import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import classes from './chart.module.css'
import { type Column, RecordTable } from './record-table.tsx'

interface Props<Row> {
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  /** Shown below a table without rows. */
  empty: string
  /** The chart. */
  children: ReactNode
}

/** A chart, or the same numbers as a table. */
export function ChartOrTable<Row>({ caption, columns, rows, rowKey, empty, children }: Props<Row>) {
  const [isTable, setTable] = useState(false)
  return (
    <>
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard
        <section className={classes.tableFrame} aria-label={caption} tabIndex={0}>
          <RecordTable caption={caption} rows={rows} rowKey={rowKey} columns={columns} />
          {rows.length === 0 && <p className={classes.empty}>{empty}</p>}
        </section>
      ) : (
        children
      )}
      <Button size="compact-sm" variant="default" mt="xs" onClick={() => setTable(!isTable)}>
        {isTable ? 'Show as chart' : 'Show as table'}
      </Button>
    </>
  )
}
