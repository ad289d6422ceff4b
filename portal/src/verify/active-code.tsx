import type { IssuedAccountCode } from '@chancery/contract'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { useAnnounce } from '../ui/announcer.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { describeCountdown } from '../ui/format-time.ts'
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts'
import { useNow } from '../ui/use-now.ts'
import { CountdownRing } from './countdown-ring.tsx'
import { useCancelCode } from './use-codes.ts'
import classes from './verify-page.module.css'

/** Minutes left at which those who hear the page are told. */
const toldAt = [5, 1]

export function ActiveCode({ code, onOver }: { code: IssuedAccountCode; onOver: () => void }) {
  const announce = useAnnounce()
  const cancel = useCancelCode()
  const now = useNow(250)
  // The button that made it is gone.
  const region = useFocusOnMount<HTMLElement>()
  const endsMs = Date.parse(code.expires_at)
  const leftMs = endsMs - now
  const isOver = leftMs <= 0
  const minutesLeft = Math.ceil(leftMs / 60_000)

  useEffect(() => {
    if (toldAt.includes(minutesLeft))
      announce(`The code works for ${describeCountdown(minutesLeft * 60_000)} more.`)
  }, [minutesLeft, announce])
  useEffect(() => {
    if (isOver) announce('The code has run out.')
  }, [isOver, announce])

  if (isOver) {
    return (
      <>
        <p className={classes.quiet}>The code has run out. It can no longer be redeemed.</p>
        <Button onClick={onOver}>Make another code</Button>
      </>
    )
  }
  return (
    <>
      <section ref={region} tabIndex={-1} aria-label="Verification code">
        <code className={classes.code}>
          <span className={classes.half}>{code.code.slice(0, 5)}</span>
          <span className={classes.half}>{code.code.slice(5)}</span>
        </code>
      </section>
      <div className={classes.row}>
        <CountdownRing leftMs={leftMs} wholeMs={endsMs - Date.parse(code.created_at)} />
        <CopyButton text={code.code} label="Copy code" size="md" variant="filled" />
      </div>
      <p className={classes.quiet}>
        Give it to the bot’s verify command.
        {code.bound_to && ` It works for the chat account ${code.bound_to} alone.`} This page says so as soon
        as the bot has redeemed it.
      </p>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        loading={cancel.isPending}
        onClick={() => cancel.mutate(code.id, { onSuccess: onOver })}
      >
        Cancel this code
      </Button>
    </>
  )
}
