import { type AccountLogEntry, accountActions } from '@chancery/contract'
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/context.ts'
import { useSignOut } from '../session/use-sign-out.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { ExactTime } from '../ui/time-ago.tsx'
import classes from './log-page.module.css'

const columns: Column<AccountLogEntry>[] = [
  { label: 'Time', render: ({ at }) => <ExactTime time={at} /> },
  // A newer server may know more actions than this page.
  { label: 'What', render: ({ action }) => accountActions[action] ?? action },
  {
    label: 'About',
    render: ({ detail, subject }) => (
      <>
        {detail}
        {subject && <code className={classes.id}>{subject}</code>}
        {!detail && !subject && '–'}
      </>
    ),
  },
]

/** Whatever was done in this player's name, by whoever was signed in. */
export function LogPage() {
  const { log } = useClient()
  const entries = useQuery({ queryKey: ['log'], queryFn: log, staleTime: 0 })
  const signOut = useSignOut({ everywhere: true })
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <PageHeading
        title="Account log"
        action={
          <Button variant="light" color="red" onClick={() => setAsking(true)}>
            Sign out everywhere
          </Button>
        }
      >
        Everything that was changed in your name. If there is something that you did not do, sign out
        everywhere and revoke your keys.
      </PageHeading>
      <Section title="Latest first">
        <QueryView query={entries} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>Nothing has been changed yet.</Empty>
            ) : (
              <RecordTable
                caption="Account log"
                columns={columns}
                rows={data}
                rowKey={({ at, action, subject }) => `${at} ${action} ${subject}`}
              />
            )
          }
        </QueryView>
      </Section>
      {isAsking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          confirmLabel="Sign out everywhere"
          isPending={signOut.isPending}
          error={signOut.error}
          onConfirm={() => signOut.mutate()}
          onClose={() => setAsking(false)}
        >
          <Text>
            Every browser that is signed in as you has to be signed in anew from the game, this one too.
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}
