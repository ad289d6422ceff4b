import { type AccountLogEntry, accountActions } from '@chancery/contract'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../api/context.ts'
import { useSignOut } from '../session/use-session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Section } from '../ui/section.tsx'
import { ExactTime } from '../ui/time.tsx'
import classes from './log-page.module.css'

const columns: Column<AccountLogEntry>[] = [
  { label: 'Time', render: ({ at }) => <ExactTime time={at} /> },
  // After an update, the server may know more actions than this page.
  { label: 'Action', render: ({ action }) => accountActions[action] ?? action },
  {
    label: 'Details',
    render: ({ detail, subject }) => (
      <>
        {detail}
        {subject && <code className={classes.id}>{subject}</code>}
        {!detail && !subject && '–'}
      </>
    ),
  },
  {
    label: 'From',
    // Lines from before an update of the server have no origin.
    render: ({ by, browser, network }) =>
      by === 'operator' ? 'Operator of the game' : [browser, network].filter(Boolean).join(', ') || '–',
  },
]

/** The changes made with this player's account, and those of the operator. */
export function LogPage() {
  const entries = useApiQuery(['log'], request => request('GET /log'), { staleTime: 0 })
  const signOut = useSignOut({ everywhere: true })
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <PageHeading
        title="Account log"
        action={
          <Button variant="light" color="red" onClick={() => setConfirming(true)}>
            Sign out everywhere
          </Button>
        }
      >
        Changes made with your account, and by the operator of the game, in the last 90 days. If you do not
        recognize one, sign out everywhere and revoke your keys.
      </PageHeading>
      <Section
        title="Newest first"
        lead="“From” is the browser and the network of its address. The full address is not stored."
      >
        <QueryView query={entries} rows={6}>
          {({ data }) => (
            <RecordTable
              caption="Account log"
              columns={columns}
              rows={data}
              rowKey={({ at, action, subject }) => `${at} ${action} ${subject}`}
              empty="No changes yet."
            />
          )}
        </QueryView>
      </Section>
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere?"
          confirmLabel="Sign out everywhere"
          isPending={signOut.isPending}
          error={signOut.error}
          onConfirm={() => signOut.mutate()}
          onClose={() => setConfirming(false)}
        >
          <Text>
            Signs you out of every browser, including this one. To sign in again, open the developer settings
            from the game.
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}
