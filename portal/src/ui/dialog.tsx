import { Modal } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'

interface Props {
  title: string
  /** Wide where there are keys and secrets to read. */
  isWide?: boolean
  /** Whether it shows what is shown this once: then it is not closed by a slip. */
  isPersistent?: boolean
  onClose: () => void
  children: ReactNode
}

/** A dialog that is there as long as it is drawn. The focus stays in it, and goes back to where it came from. */
export function Dialog({ title, isWide = false, isPersistent = false, onClose, children }: Props) {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    },
    [opener],
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={isWide ? 'lg' : 'md'}
      returnFocus={false}
      withCloseButton={!isPersistent}
      closeOnClickOutside={!isPersistent}
      closeOnEscape={!isPersistent}
    >
      {children}
    </Modal>
  )
}
