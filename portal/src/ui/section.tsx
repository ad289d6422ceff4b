import { Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

interface Props {
  title: ReactNode
  action?: ReactNode
  lead?: ReactNode
  children: ReactNode
}

/** A titled part of a page, on a card. */
export function Section({ title, action, lead, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes.section}>
      <div className={classes.head}>
        <Title order={2} id={id} className={classes.title}>
          {title}
        </Title>
        {action}
      </div>
      {lead && <p className={classes.lead}>{lead}</p>}
      {children}
    </section>
  )
}

/** Shown in place of an empty list. */
export const Empty = ({ children }: { children: ReactNode }) => <p className={classes.empty}>{children}</p>
