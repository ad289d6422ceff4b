import type { ReactNode } from 'react'
import classes from './description-list.module.css'

/** Terms and values in columns, as many as fit. */
export function DescriptionList({ items }: { items: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes.items}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
