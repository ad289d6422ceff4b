import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNation } from '../session/use-session.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { VerifyIcon } from '../ui/icons.tsx'
import { useCreateCode } from './use-codes.ts'
import classes from './verify-page.module.css'

export function CreateCode() {
  const nation = useNation()
  const make = useCreateCode()
  const [account, setAccount] = useState('')

  if (!nation) {
    return (
      <p className={classes.quiet}>
        You lead no nation at present, so there is nothing to verify. Keys and webhooks work all the same.
      </p>
    )
  }
  return (
    <>
      <p className={classes.quiet}>A code works once, for ten minutes.</p>
      <Button
        size="xl"
        leftSection={<VerifyIcon size={24} />}
        loading={make.isPending}
        onClick={() => make.mutate(account.trim() ? { for: account.trim() } : {})}
      >
        Make a code
      </Button>
      <TextInput
        className={classes.form}
        label="Only for this chat account (optional)"
        description="Your account as the bot knows it, mostly a number. The code then works for that account alone."
        maxLength={200}
        autoComplete="off"
        value={account}
        onChange={event => setAccount(event.currentTarget.value)}
      />
      {make.error && <ErrorNotice error={make.error} />}
    </>
  )
}
