import { Button } from '@mantine/core'
import { useState } from 'react'
import { PlusIcon } from '../ui/icons.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyList } from './key-list.tsx'
import { PrivateKeys } from './private-keys.tsx'
import { useKeys } from './use-keys.ts'

export function KeysPage() {
  const keys = useKeys()
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHeading
        title="Keys"
        action={
          <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
            Create key
          </Button>
        }
      >
        A key lets a bot or a tool read as you. Give each its own, so that one can be revoked without the
        others.
      </PageHeading>
      <QueryView query={keys} rows={3} rowHeight={150}>
        {({ data }) => (
          <>
            <KeyList keys={data} />
            <PrivateKeys keys={data} />
          </>
        )}
      </QueryView>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </>
  )
}
