import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './page-heading.module.css'
import { usePageInfo } from './use-page-info.ts'

interface Props {
  title: string
  children?: ReactNode
  /** The page's main button. */
  action?: ReactNode
}

/** Names the page, in the window's title too, and takes the focus there when the page is come to from another. */
export function PageHeading({ title, children, action }: Props) {
  const { game } = usePageInfo()
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · ${game.name}`
    // Where a page is the first one nothing holds the focus, and it stays at the top.
    if (document.activeElement !== document.body) heading.current?.focus({ preventScroll: true })
  }, [title, game.name])

  return (
    <header className={classes.heading}>
      <div className={classes.words}>
        <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </Title>
        {children && <p className={classes.lead}>{children}</p>}
      </div>
      {action}
    </header>
  )
}
