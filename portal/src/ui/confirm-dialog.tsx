import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'

interface Props {
  title: string
  confirmLabel: string
  children: ReactNode
  isPending: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone. The way back has the focus. */
export function ConfirmDialog({
  title,
  confirmLabel,
  children,
  isPending,
  error,
  onConfirm,
  onClose,
}: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <div>{children}</div>
        {Boolean(error) && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={isPending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
