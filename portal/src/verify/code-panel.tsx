import type { AccountCodes, IssuedAccountCode, RedeemedCode } from '@chancery/contract'
import { Button, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useClock } from '../api/context.ts'
import { useNation } from '../session/use-session.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { useFocusOnMount } from '../ui/focus.ts'
import { CheckIcon, VerifyIcon } from '../ui/icons.tsx'
import { formatCountdown, useNow } from '../ui/time.tsx'
import { readAccountNumber } from './account-number.ts'
import { useCancelCode, useCreateCode, useDisplayedCode, useSetDisplayedCode } from './use-codes.ts'
import classes from './verify-page.module.css'

/** Creates a code, displays it, and reports its redemption. */
export function CodePanel({ codes }: { codes: AccountCodes | undefined }) {
  const announce = useAnnounce()
  const displayed = useDisplayedCode()
  const setDisplayed = useSetDisplayedCode()
  const redeemed = codes?.redeemed.find(({ id }) => id === displayed?.id)

  useEffect(() => {
    if (redeemed)
      announce(`Your code was redeemed by a client ${redeemed.with_key ? 'with' : 'without'} an API key.`)
  }, [redeemed, announce])

  // Hides a code that was cancelled elsewhere. An expired code stays, with a message.
  const clock = useClock()
  const lastActiveId = useRef<string | null>(null)
  const isActive = codes?.live.some(({ id }) => id === displayed?.id)
  useEffect(() => {
    if (!displayed || redeemed) return
    if (isActive) lastActiveId.current = displayed.id
    else if (lastActiveId.current === displayed.id && Date.parse(displayed.expires_at) - clock.now() > 2000)
      setDisplayed(null)
  }, [displayed, redeemed, isActive, clock, setDisplayed])

  const reset = () => setDisplayed(null)
  return (
    <section className={classes.panel} aria-label="Your code">
      {displayed === null ? (
        <CreateCode />
      ) : redeemed ? (
        <CodeRedeemed code={redeemed} onReset={reset} />
      ) : (
        <DisplayedCode key={displayed.id} code={displayed} onReset={reset} />
      )}
    </section>
  )
}

function CreateCode() {
  const nation = useNation()
  const create = useCreateCode()
  const [account, setAccount] = useState('')
  // Not while the number is being typed for the first time.
  const [isChecked, setChecked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const read = readAccountNumber(account)
  const problem = 'problem' in read ? read.problem : null

  const submit = () => {
    if ('number' in read) return create.mutate(read.number === '' ? {} : { for: read.number })
    setChecked(true)
    field.current?.focus()
  }

  if (!nation) {
    return (
      <p className={classes.dimmed}>You have no nation to verify. You can still use API keys and webhooks.</p>
    )
  }
  return (
    <>
      <p className={classes.dimmed}>A code works once and expires after ten minutes.</p>
      <Button size="xl" leftSection={<VerifyIcon size={24} />} loading={create.isPending} onClick={submit}>
        Create code
      </Button>
      <TextInput
        className={classes.form}
        label="Chat account (optional)"
        description="The number of your account: only this account can redeem the code. In Discord, turn on Developer Mode (User Settings, Advanced), then right-click your name and select “Copy User ID”."
        error={isChecked && problem}
        maxLength={200}
        autoComplete="off"
        inputMode="numeric"
        ref={field}
        value={account}
        onBlur={() => setChecked(true)}
        onChange={event => setAccount(event.currentTarget.value)}
      />
      {create.error && <ErrorNotice error={create.error} />}
    </>
  )
}

/** Remaining minutes at which screen readers announce the expiry. */
const announcedMinutes = [5, 1]

function DisplayedCode({ code, onReset }: { code: IssuedAccountCode; onReset: () => void }) {
  const announce = useAnnounce()
  const cancel = useCancelCode()
  const now = useNow(250)
  // Replaces the button that had the focus.
  const region = useFocusOnMount<HTMLElement>()
  const endsMs = Date.parse(code.expires_at)
  const remainingMs = endsMs - now
  const isExpired = remainingMs <= 0
  const remainingMinutes = Math.ceil(remainingMs / 60_000)

  useEffect(() => {
    if (announcedMinutes.includes(remainingMinutes))
      announce(
        `The code expires in ${remainingMinutes === 1 ? 'less than a minute' : `${remainingMinutes} minutes`}.`,
      )
  }, [remainingMinutes, announce])
  useEffect(() => {
    if (isExpired) announce('The code has expired.')
  }, [isExpired, announce])

  if (isExpired) {
    return (
      <>
        <p className={classes.dimmed}>The code has expired. It can no longer be redeemed.</p>
        <Button onClick={onReset}>Create another code</Button>
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
        <CountdownRing remainingMs={remainingMs} totalMs={endsMs - Date.parse(code.created_at)} />
        <CopyButton text={code.code} label="Copy code" size="md" variant="filled" />
      </div>
      <p className={classes.dimmed}>
        Enter it in the bot’s verify command.
        {code.bound_to && ` Only the chat account ${code.bound_to} can redeem it.`} This page updates as soon
        as the bot has redeemed it.
      </p>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        loading={cancel.isPending}
        onClick={() => cancel.mutate(code.id, { onSuccess: onReset })}
      >
        Cancel code
      </Button>
    </>
  )
}

function CodeRedeemed({ code, onReset }: { code: RedeemedCode; onReset: () => void }) {
  const nation = useNation()
  const button = useFocusOnMount<HTMLButtonElement>()
  return (
    <>
      <span className={classes.done}>
        <CheckIcon size={36} />
      </span>
      <div>
        <Text fw={700} size="xl">
          Redeemed
        </Text>
        <Text>
          The bot has verified that <bdi>{nation?.nation_name ?? 'your nation'}</bdi> is yours.
        </Text>
      </div>
      <p className={classes.dimmed}>
        {code.with_key
          ? 'The code was redeemed with an API key.'
          : 'The code was redeemed without an API key.'}{' '}
        If it was not redeemed by the bot that you used, report it to the moderators of the chat.
      </p>
      <Button variant="default" ref={button} onClick={onReset}>
        Create another code
      </Button>
    </>
  )
}

const radius = 42
const circumference = 2 * Math.PI * radius

/** The remaining lifetime of a code. With the role of a timer, screen readers do not read every second. */
function CountdownRing({ remainingMs, totalMs }: { remainingMs: number; totalMs: number }) {
  const share = Math.min(1, Math.max(0, remainingMs / totalMs))
  return (
    <div className={classes.ring} role="timer" aria-label="Time left">
      <svg viewBox="0 0 96 96" aria-hidden="true">
        <circle className={classes.track} cx="48" cy="48" r={radius} fill="none" strokeWidth="7" />
        <circle
          className={classes.remaining}
          cx="48"
          cy="48"
          r={radius}
          fill="none"
          strokeWidth="7"
          strokeLinecap="round"
          strokeDasharray={circumference}
          strokeDashoffset={circumference * (1 - share)}
          transform="rotate(-90 48 48)"
        />
      </svg>
      <span className={classes.time}>{formatCountdown(remainingMs)}</span>
    </div>
  )
}
