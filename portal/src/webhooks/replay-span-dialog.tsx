import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClock } from '../api/context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { useEndpointChanges } from './use-webhooks.ts'

/** As the field for a time takes it: in the reader's time zone, without naming it. */
function fieldTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

export function ReplaySpanDialog({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const clock = useClock()
  const { replay } = useEndpointChanges(endpointId)
  const [since, setSince] = useState(() => fieldTime(clock.now() - 3_600_000))
  const [until, setUntil] = useState(() => fieldTime(clock.now()))
  const isSpan = since !== '' && until !== '' && since < until
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
  }
  const queued = replay.data?.queued

  return (
    <Dialog title="Replay a span" onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            What happened from the first time up to, not including, the second, and passes the filter, is sent
            once more. Times are in your time zone.
          </Text>
          <TextInput
            type="datetime-local"
            label="From"
            required
            withAsterisk={false}
            data-autofocus
            value={since}
            onChange={event => setSince(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label="To"
            required
            withAsterisk={false}
            error={since && until && !isSpan ? 'It has to be after the first.' : null}
            value={until}
            onChange={event => setUntil(event.currentTarget.value)}
          />
          {replay.error && <ErrorNotice error={replay.error} />}
          <div role="status">{queued !== undefined && `${queued} queued once more.`}</div>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {queued === undefined ? 'Cancel' : 'Close'}
            </Button>
            {queued === undefined && (
              <Button type="submit" disabled={!isSpan} loading={replay.isPending}>
                Replay
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
