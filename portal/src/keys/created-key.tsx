import type { NewAccountKeyResponse } from '@chancery/contract'
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useFocusOnMount } from '../ui/focus.ts'
import { WarnIcon } from '../ui/icons.tsx'
import { OneTimeSecret } from '../ui/one-time-secret.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'

export function CreatedKey({ of: { key, name }, onDone }: { of: NewAccountKeyResponse; onDone: () => void }) {
  const { api_url } = usePageInfo()
  const top = useFocusOnMount<HTMLDivElement>()
  return (
    <Stack ref={top} tabIndex={-1}>
      <Alert color="orange" variant="light" icon={<WarnIcon />} title="Copy the key now">
        The key “<bdi>{name}</bdi>” is shown only once. If you lose it, regenerate it.
      </Alert>
      <OneTimeSecret label="Key" text={key} copyLabel="Copy key" />
      <OneTimeSecret
        label="Test it with curl"
        text={`curl -H 'Authorization: Bearer ${key}' ${api_url}/me/key`}
        copyLabel="Copy command"
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
