import type { NewAccountKeyResponse } from '@chancery/contract'
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { CreateKeyForm } from './create-key-form.tsx'
import { CreatedKey } from './new-key.tsx'

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewAccountKeyResponse | null>(null)
  return (
    <Dialog
      title={made ? 'Your new key' : 'Create key'}
      isWide
      isPersistent={made !== null}
      onClose={onClose}
    >
      {made ? (
        <CreatedKey of={made} onDone={onClose} />
      ) : (
        <CreateKeyForm onCreated={setMade} onCancel={onClose} />
      )}
    </Dialog>
  )
}
