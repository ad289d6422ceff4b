import type { AccountKey } from '@chancery/contract'
import { Anchor, Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useKeys } from '../keys/use-keys.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { KeyUsage } from './key-usage.tsx'
import { RequestTable } from './request-table.tsx'
import classes from './usage.module.css'
import { useLoggedRequests } from './use-usage.ts'

/** A key made a moment ago counts as used: the time of its last use is stored later. */
const usedAt = ({ last_used_at, created_at }: AccountKey) => last_used_at ?? created_at

/** Usage of the key in the URL, else of the key that was used last. */
export function UsagePage({ keyId }: { keyId: string | null }) {
  const keys = useKeys()
  const [, navigate] = useLocation()
  return (
    <>
      <PageHeading title="Usage">
        Requests with your API keys. Each request is kept for seven days, without its parameters and without
        codes or keys.
      </PageHeading>
      <QueryView query={keys} rows={4} rowHeight={120}>
        {({ data }) => {
          const [latest] = data.toSorted((a, b) => usedAt(b).localeCompare(usedAt(a)))
          const key = data.find(({ id }) => id === keyId) ?? (keyId === null ? latest : undefined)
          if (data.length === 0)
            return (
              <Empty>
                You have no API keys.{' '}
                <Anchor component={Link} href="/keys">
                  Create a key
                </Anchor>
              </Empty>
            )
          return (
            <>
              <NativeSelect
                label="Key"
                value={key?.id ?? ''}
                onChange={event => navigate(`/usage/${event.currentTarget.value}`)}
                data={[
                  ...(key ? [] : [{ value: '', label: 'Select a key' }]),
                  ...data.map(({ id, name, prefix, revoked_at }) => ({
                    value: id,
                    label: `${name}${prefix ? ` (${prefix}…)` : ''}${revoked_at ? ', revoked' : ''}`,
                  })),
                ]}
              />
              {key ? (
                <KeyUsage key={key.id} keyId={key.id} />
              ) : (
                <Empty>You have no such key. Select another one.</Empty>
              )}
            </>
          )
        }}
      </QueryView>
      <FindRequest />
    </>
  )
}

/** Finds a request of the player by the request ID that a bot has logged. */
function FindRequest() {
  const [text, setText] = useState('')
  const [requestId, setRequestId] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setRequestId(text.trim())
  }
  return (
    <Section
      title="Find a request"
      lead="Every response has a request ID in its X-Request-Id header, and every error in its body. The search covers all your keys."
    >
      <form onSubmit={submit} className={classes.search}>
        <TextInput
          label="Request ID"
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={text.trim() === ''}>
          Find
        </Button>
      </form>
      {requestId && <FoundRequest requestId={requestId} />}
    </Section>
  )
}

function FoundRequest({ requestId }: { requestId: string }) {
  const requests = useLoggedRequests({ request_id: requestId })
  return (
    <div className={classes.searchResult} aria-live="polite">
      <QueryView query={requests} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>None of your requests of the last seven days has this ID.</Empty>
          ) : (
            <RequestTable caption="Request found" requests={data} showsKey />
          )
        }
      </QueryView>
    </div>
  )
}
