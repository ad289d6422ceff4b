import type { NewAccountKeyAnswer } from '@chancery/contract'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreateKeyForm } from './create-key-form.tsx'
import { NewKey } from './new-key.tsx'

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewAccountKeyAnswer | null>(null)
  // A key that is shown this once is not closed by a slip.
  const isShown = made !== null
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={isShown ? 'Your new key' : 'Create key'}
      withCloseButton={!isShown}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
    >
      {made ? <NewKey of={made} onDone={onClose} /> : <CreateKeyForm onMade={setMade} onCancel={onClose} />}
    </Modal>
  )
}
