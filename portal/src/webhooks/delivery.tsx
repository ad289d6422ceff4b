import { describeAttempt, type WebhookAttempt, type WebhookDelivery } from '@chancery/contract'
import { Anchor, Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { formatTime, formatTimeWithSeconds, NearTime, TimeAgo, TimeWithSeconds } from '../ui/time.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { deliveryStateLabels } from './descriptions.ts'
import { UntrustedText } from './untrusted-text.tsx'
import { useDeliveryRequests } from './use-webhooks.ts'
import classes from './webhooks.module.css'

interface Props {
  endpointId: string
  delivery: WebhookDelivery
  isResending: boolean
  onResend: (() => void) | undefined
}

/** A delivery; expanded, its event, its attempts with their responses, and what they sent. */
export function Delivery({ endpointId, delivery, isResending, onResend }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { label, color } = deliveryStateLabels[delivery.state]
  return (
    <li className={classes.delivery}>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={classes.deliverySummary}>
            <Badge variant="light" color={color}>
              {label}
            </Badge>
            <code>{delivery.type}</code>
            <TimeAgo time={delivery.created_at} />
            {delivery.next_at && (
              <span className={classes.nextAttempt}>
                Next attempt: <NearTime time={delivery.next_at} />
              </span>
            )}
          </span>
        </summary>
        {isOpen && <DeliveryDetails endpointId={endpointId} delivery={delivery} />}
      </details>
      {onResend && delivery.state !== 'sending' && delivery.event_id && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isResending}
          aria-label={`Resend ${delivery.type} of ${formatTime(delivery.created_at)}`}
          onClick={onResend}
        >
          Resend
        </Button>
      )}
    </li>
  )
}

function DeliveryDetails({ endpointId, delivery }: Pick<Props, 'endpointId' | 'delivery'>) {
  const requests = useDeliveryRequests(endpointId, delivery)
  const { event_id, attempts } = delivery
  return (
    <div className={classes.details}>
      <DescriptionList
        items={[
          ['Event', event_id ? <EventLink key="event" id={event_id} /> : 'Test, not in the event log'],
          ['Queued', <TimeWithSeconds key="queued" time={delivery.created_at} />],
        ]}
      />
      <QueryView query={requests} rows={1} rowHeight={80}>
        {({ body, attempts: sent }) => (
          <>
            {attempts.length === 0 && <p className={classes.dimmed}>No attempts yet.</p>}
            <ol className={classes.attempts} aria-label="Attempts">
              {attempts.map(attempt => (
                <Attempt
                  key={attempt.number}
                  attempt={attempt}
                  headers={sent.find(({ number }) => number === attempt.number)?.headers}
                />
              ))}
            </ol>
            {body !== null && (
              <details className={classes.disclosure}>
                <summary>Request body</summary>
                <UntrustedText label="Request body" text={prettyPrint(body)} />
                <CopyButton text={body} label="Copy body as sent" size="compact-sm" mt="xs" />
              </details>
            )}
          </>
        )}
      </QueryView>
    </div>
  )
}

const prettyPrint = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

/** The event in the API: a page of the list with this event alone. */
function EventLink({ id }: { id: string }) {
  const { api_url } = usePageInfo()
  const seq = Number(id.slice('evt_'.length))
  return (
    <Anchor href={`${api_url}/events?after=${seq - 1}&limit=1`} target="_blank" inherit underline="always">
      {id}
    </Anchor>
  )
}

interface AttemptProps {
  attempt: WebhookAttempt
  /** None for an attempt of a version that did not keep them. */
  headers: { name: string; value: string }[] | undefined
}

function Attempt({ attempt, headers }: AttemptProps) {
  return (
    <li>
      <div>
        <strong>Attempt {attempt.number}</strong>{' '}
        <span className={classes.dimmed}>
          {formatTimeWithSeconds(attempt.attempted_at)} · {attempt.latency_ms} ms
        </span>
      </div>
      <div>{describeAttempt(attempt)}.</div>
      {attempt.next_at && (
        <div className={classes.dimmed}>
          Next attempt <TimeWithSeconds time={attempt.next_at} />
        </div>
      )}
      {attempt.answer && (
        <details className={classes.disclosure}>
          <summary>Response body</summary>
          <UntrustedText label={`Response body of attempt ${attempt.number}`} text={attempt.answer} />
        </details>
      )}
      {headers && (
        <details className={classes.disclosure}>
          <summary>Request headers</summary>
          <UntrustedText
            label={`Request headers of attempt ${attempt.number}`}
            text={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          />
        </details>
      )}
    </li>
  )
}
