import type { AccountKey } from '@chancery/contract'
import { Text } from '@mantine/core'
import { TimeAgo } from '../ui/time-ago.tsx'
import classes from './keys.module.css'

/** What was asked for, and what the operator has said to it. */
export function LimitRequestStatus({ request }: { request: NonNullable<AccountKey['limit_request']> }) {
  return (
    <div className={classes.answer}>
      <p>
        Asked for {request.calls_per_minute} calls a minute <TimeAgo time={request.asked_at} />: “
        {request.sentence}”
      </p>
      {request.answered_at ? (
        <p>
          <strong>Answered</strong> <TimeAgo time={request.answered_at} />
          {request.note ? `: “${request.note}”` : '.'}
        </p>
      ) : (
        <Text size="sm" c="dimmed">
          The operator has not answered yet.
        </Text>
      )}
    </div>
  )
}
