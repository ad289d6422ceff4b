import type { AccountCodes } from '@chancery/contract'
import { useEffect, useRef } from 'react'
import { useClock } from '../api/context.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { ActiveCode } from './active-code.tsx'
import { CodeRedeemed } from './code-redeemed.tsx'
import { CreateCode } from './create-code.tsx'
import { useDisplayedCode, useSetDisplayedCode } from './use-codes.ts'
import classes from './verify-page.module.css'

/** Where a code is made, shown, and said to be redeemed. */
export function CodePanel({ codes }: { codes: AccountCodes | undefined }) {
  const announce = useAnnounce()
  const shown = useDisplayedCode()
  const setShown = useSetDisplayedCode()
  const redeemed = codes?.redeemed.find(({ id }) => id === shown?.id)

  useEffect(() => {
    if (redeemed)
      announce(`Your code was redeemed, by a bot ${redeemed.with_key ? 'with' : 'without'} an API key.`)
  }, [redeemed, announce])

  // Cancelled elsewhere. One that has run out says so itself.
  const clock = useClock()
  const wasLive = useRef<string | null>(null)
  const isLive = codes?.live.some(({ id }) => id === shown?.id)
  useEffect(() => {
    if (!shown || redeemed) return
    if (isLive) wasLive.current = shown.id
    else if (wasLive.current === shown.id && Date.parse(shown.expires_at) - clock.now() > 2000) setShown(null)
  }, [shown, redeemed, isLive, clock, setShown])

  const forget = () => setShown(null)
  return (
    <section className={classes.panel} aria-label="Your code">
      {shown === null ? (
        <CreateCode />
      ) : redeemed ? (
        <CodeRedeemed code={redeemed} onAgain={forget} />
      ) : (
        <ActiveCode key={shown.id} code={shown} onOver={forget} />
      )}
    </section>
  )
}
