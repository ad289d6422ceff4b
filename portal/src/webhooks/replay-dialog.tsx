import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClock } from '../api/context.ts'
import { Dialog, DialogFooter } from '../ui/dialog.tsx'
import { describeQueued } from './descriptions.ts'
import { useEndpointMutations } from './use-webhooks.ts'

/** The value of a datetime-local input: in the browser's time zone, without an offset. */
function localInputValue(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

/** Replays the events of a time range. */
export function ReplayDialog({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const clock = useClock()
  const { replay } = useEndpointMutations(endpointId)
  const [since, setSince] = useState(() => localInputValue(clock.now() - 3_600_000))
  const [until, setUntil] = useState(() => localInputValue(clock.now()))
  const isValid = since !== '' && until !== '' && since < until
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
  }
  const queued = replay.data?.queued

  return (
    <Dialog title="Replay time range" onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Sends all events from the start until just before the end again, if they match the endpoint’s
            filter. Times are in your time zone.
          </Text>
          <TextInput
            type="datetime-local"
            label="Start"
            required
            withAsterisk={false}
            data-autofocus
            value={since}
            onChange={event => setSince(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label="End"
            required
            withAsterisk={false}
            error={since && until && !isValid ? 'The end must be after the start.' : null}
            value={until}
            onChange={event => setUntil(event.currentTarget.value)}
          />
          <div role="status">{queued !== undefined && describeQueued(queued)}</div>
          <DialogFooter
            error={replay.error}
            onCancel={onClose}
            cancelLabel={queued === undefined ? 'Cancel' : 'Close'}
          >
            {queued === undefined && (
              <Button type="submit" disabled={!isValid} loading={replay.isPending}>
                Replay
              </Button>
            )}
          </DialogFooter>
        </Stack>
      </form>
    </Dialog>
  )
}
