import type { WebhookTestResult } from '@chancery/contract'
import { Alert } from '@mantine/core'
import { describeTest } from './descriptions.ts'
import { UntrustedText } from './untrusted-text.tsx'

export function TestResult({ test }: { test: WebhookTestResult }) {
  return (
    <Alert
      color={test.has_arrived ? 'teal' : 'orange'}
      variant="light"
      mt="md"
      title={test.has_arrived ? 'Test delivered' : 'Test failed'}
    >
      {describeTest(test)}
      {test.answer && <UntrustedText text={test.answer} label="Response body" />}
    </Alert>
  )
}
