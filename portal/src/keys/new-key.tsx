import type { NewAccountKeyResponse } from '@chancery/contract'
import { Alert, Button, Group, Stack } from '@mantine/core'
import { WarnIcon } from '../ui/icons.tsx'
import { OneTimeSecret } from '../ui/one-time-secret.tsx'
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts'
import { usePageInfo } from '../ui/use-page-info.ts'

/** A key, this once, and how to try it. */
export function CreatedKey({ of: { key, name }, onDone }: { of: NewAccountKeyResponse; onDone: () => void }) {
  const { api_url } = usePageInfo()
  const top = useFocusOnMount<HTMLDivElement>()
  return (
    <Stack ref={top} tabIndex={-1}>
      <Alert color="orange" variant="light" icon={<WarnIcon />} title="Copy it now">
        The key of “<bdi>{name}</bdi>” is shown this once. Nobody can tell it to you later; a lost key is
        replaced.
      </Alert>
      <OneTimeSecret label="Key" text={key} copyLabel="Copy key" />
      <OneTimeSecret
        label="Try it"
        text={`curl -H 'Authorization: Bearer ${key}' ${api_url}/me/key`}
        copyLabel="Copy command"
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
