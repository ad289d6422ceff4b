import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { ErrorNotice } from './error-notice.tsx'

interface Props {
  title: string
  /** Wide for keys and secrets. */
  isWide?: boolean
  /** Closed only by its own button, for a secret that is shown once. */
  isPersistent?: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal dialog, open while it is rendered. It traps the focus and returns it to the element that had it. */
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

interface FooterProps {
  error: unknown
  onCancel: () => void
  cancelLabel?: string
  /** For actions that cannot be undone. */
  focusesCancel?: boolean
  /** The button of the action. */
  children: ReactNode
}

/** The error of the last attempt, and the buttons of a dialog. */
export function DialogFooter(props: FooterProps) {
  const { error, onCancel, cancelLabel = 'Cancel', focusesCancel = false, children } = props
  return (
    <>
      {Boolean(error) && <ErrorNotice error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} data-autofocus={focusesCancel || undefined}>
          {cancelLabel}
        </Button>
        {children}
      </Group>
    </>
  )
}

interface ConfirmProps {
  title: string
  confirmLabel: string
  children: ReactNode
  isPending: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** Confirms an action that cannot be undone. Cancel has the initial focus. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, confirmLabel, children, isPending, error, onConfirm, onClose } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <div>{children}</div>
        <DialogFooter error={error} onCancel={onClose} focusesCancel>
          <Button color="red" loading={isPending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}
