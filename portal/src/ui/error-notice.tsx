import { Alert, Button, Code, Text } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { WarnIcon } from './icons.tsx'

interface Props {
  error: unknown
  title?: string
  onRetry?: () => void
}

/** An error with the server's message, and the request ID by which its operator finds the request. */
export function ErrorNotice({ error, title = 'Something went wrong', onRetry }: Props) {
  const apiError = error instanceof ApiError ? error : null
  return (
    <Alert color="red" variant="light" title={title} icon={<WarnIcon />} role="alert">
      <Text size="sm">
        {apiError?.message ?? 'An unexpected error occurred. Reload the page and try again.'}
      </Text>
      {typeof apiError?.retryAfterSeconds === 'number' && (
        <Text size="sm">Try again in {apiError.retryAfterSeconds} seconds.</Text>
      )}
      {apiError?.requestId && (
        <Text size="sm" mt={4}>
          Request ID: <Code>{apiError.requestId}</Code>
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
