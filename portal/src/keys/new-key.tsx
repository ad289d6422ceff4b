import type { NewAccountKeyResponse } from '@chancery/contract'
import { Alert, Button, Group, Stack } from '@mantine/core'
import { WarnIcon } from '../page/icons.tsx'
import { OnceShown } from '../page/once-shown.tsx'
import { useFocusAtFirst } from '../page/use-focus-at-first.ts'
import { usePageInfo } from '../page/use-page-info.ts'

/** A key, this once, and how to try it. */
export function NewKey({ of: { key, name }, onDone }: { of: NewAccountKeyResponse; onDone: () => void }) {
  const { api_url } = usePageInfo()
  const top = useFocusAtFirst<HTMLDivElement>()
  return (
    <Stack ref={top} tabIndex={-1}>
      <Alert color="orange" variant="light" icon={<WarnIcon />} title="Copy it now">
        The key of “<bdi>{name}</bdi>” is shown this once. Nobody can tell it to you later; a lost key is
        replaced.
      </Alert>
      <OnceShown label="Key" text={key} copyLabel="Copy key" />
      <OnceShown
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
