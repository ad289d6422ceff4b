import type { NewAccountKeyResponse } from '@chancery/contract'
import { useState } from 'react'
import { Dialog } from '../page/dialog.tsx'
import { CreateKeyForm } from './create-key-form.tsx'
import { NewKey } from './new-key.tsx'

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewAccountKeyResponse | null>(null)
  return (
    <Dialog title={made ? 'Your new key' : 'Create key'} isWide isKept={made !== null} onClose={onClose}>
      {made ? <NewKey of={made} onDone={onClose} /> : <CreateKeyForm onMade={setMade} onCancel={onClose} />}
    </Dialog>
  )
}
