import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './page-heading.module.css'
import { usePageInfo } from './use-page-info.ts'

interface Props {
  title: string
  children?: ReactNode
  /** The page's primary button. */
  action?: ReactNode
}

/** The page's heading, also in the window's title. It takes the focus after navigation from another page. */
export function PageHeading({ title, children, action }: Props) {
  const { game } = usePageInfo()
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · ${game.name}`
    // On the first page nothing has the focus yet: Tab starts at the top.
    if (document.activeElement !== document.body) heading.current?.focus({ preventScroll: true })
  }, [title, game.name])

  return (
    <header className={classes.heading}>
      <div className={classes.text}>
        <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </Title>
        {children && <p className={classes.lead}>{children}</p>}
      </div>
      {action}
    </header>
  )
}
