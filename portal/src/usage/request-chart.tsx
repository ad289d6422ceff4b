import type { UsageBucket } from '@chancery/contract'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { RecordTable } from '../ui/record-table.tsx'
import { ExactTime } from '../ui/time-ago.tsx'
import { BarChart } from './bar-chart.tsx'
import classes from './usage.module.css'

const numbers = new Intl.NumberFormat('en')

interface Props {
  bars: UsageBucket[]
  per: 'minute' | 'hour'
}

/** Calls over time as bars, or the same numbers as a table. */
export function RequestChart({ bars, per }: Props) {
  const [isTable, setTable] = useState(false)
  const calls = bars.reduce((sum, bar) => sum + bar.calls, 0)
  const limited = bars.reduce((sum, bar) => sum + bar.limited, 0)
  const refused =
    limited === 0 ? 'none of them refused with 429' : `${numbers.format(limited)} of them refused with 429`
  const words = `${numbers.format(calls)} calls, ${refused}`
  const busy = bars.filter(bar => bar.calls > 0).toReversed()

  return (
    <>
      <div className={classes.legend}>
        <span>{words}.</span>
        <span className={classes.keys} aria-hidden="true">
          <span data-kind="answered">Let through</span>
          <span data-kind="limited">Refused with 429</span>
        </span>
      </div>
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section className={classes.tableFrame} aria-label={`Calls by ${per}`} tabIndex={0}>
          <RecordTable
            caption={`Calls by ${per}`}
            rows={busy}
            rowKey={({ at }) => at}
            columns={[
              {
                label: `${per === 'minute' ? 'Minute' : 'Hour'} from`,
                render: ({ at }) => <ExactTime time={at} />,
              },
              { label: 'Calls', render: bar => numbers.format(bar.calls), isNumber: true },
              { label: 'Refused with 429', render: bar => numbers.format(bar.limited), isNumber: true },
            ]}
          />
          {busy.length === 0 && <p className={classes.none}>No calls in this time.</p>}
        </section>
      ) : (
        <BarChart bars={bars} per={per} label={`Calls by ${per}: ${words}`} />
      )}
      <Button size="compact-sm" variant="default" mt="xs" onClick={() => setTable(!isTable)}>
        {isTable ? 'Show as a chart' : 'Show as a table'}
      </Button>
    </>
  )
}
