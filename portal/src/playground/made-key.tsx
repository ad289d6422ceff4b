import { Button, Group, Text } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

/** That there is a key which was made here. Takes the focus where it was lost with the form that made it. */
export function TemporaryKey({ until, onDrop }: { until: string; onDrop: () => void }) {
  const drop = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (document.activeElement === document.body) drop.current?.focus()
  }, [])
  return (
    <Group gap="sm">
      <Text size="sm">
        A key was made for this, and works until {clock.format(new Date(until))}. Only this page has it, until
        you leave it.
      </Text>
      <Button ref={drop} size="xs" variant="default" onClick={onDrop}>
        Use another key
      </Button>
    </Group>
  )
}
