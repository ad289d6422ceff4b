import { Alert, Button, Code, Text } from '@mantine/core'
import { ApiError } from '../api/errors.ts'
import { WarnIcon } from './icons.tsx'

interface Props {
  error: unknown
  title?: string
  onRetry?: () => void
}

/** A refusal in the server's own words, with the id by which its operator finds the request. */
export function ErrorNotice({ error, title = 'That did not work', onRetry }: Props) {
  const { requestId, retryAfterSeconds } = error instanceof ApiError ? error : nothingKnown
  return (
    <Alert color="red" variant="light" title={title} icon={<WarnIcon />} role="alert">
      <Text size="sm">
        {error instanceof ApiError ? error.message : 'Something went wrong on this page.'}
      </Text>
      {retryAfterSeconds !== null && (
        <Text size="sm">It may be tried again in {retryAfterSeconds} seconds.</Text>
      )}
      {requestId && (
        <Text size="sm" mt={4}>
          Request id: <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

const nothingKnown = { requestId: null, retryAfterSeconds: null }
