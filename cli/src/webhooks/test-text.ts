import type { EndpointRecord, TestRecord } from '../door/endpoint-record.ts'
import { beginning } from '../stranger-text.ts'
import { hearsText, reasonText } from './endpoint-text.ts'
import { whatCame } from './no-answer.ts'

const answerLengthMax = 80

/** How a test went, and where the endpoint stands after it. */
export const testText = (endpoint: EndpointRecord, test: TestRecord): string =>
  (test.has_arrived ? arrived(endpoint, test) : missed(endpoint, test)).join('\n')

function arrived(endpoint: EndpointRecord, { status, latency_ms: latencyMs }: TestRecord): string[] {
  const answered = `The test was answered with ${status} in ${latencyMs} ms.`
  return endpoint.status === 'active'
    ? [`${answered} The endpoint is active.`, `It hears: ${hearsText(endpoint)}`]
    : [answered, ...standing(endpoint, 'To let it hear:')]
}

function missed(endpoint: EndpointRecord, test: TestRecord): string[] {
  const said = beginning(test.answer ?? '', answerLengthMax)
  return [
    'The test was not answered with a status from 200 to 299. What came instead:',
    `  ${whatCame(test)}`,
    ...(said === '' ? [] : [`  It said: ${said}`]),
    ...standing(endpoint, 'When the receiver is ready:'),
  ]
}

/** What an endpoint does that the test made no difference to, and how to go on. */
function standing(endpoint: EndpointRecord, when: string): string[] {
  const { id, status } = endpoint
  if (status === 'active') return ['It stays active: what does not arrive is tried again.']
  const [state, command] =
    status === 'unconfirmed'
      ? ['It is not active yet, and hears nothing.', 'test']
      : [`It stays off (${reasonText(endpoint)}).`, 'enable']
  return [`${state} ${when}`, '', `  chancery webhooks ${command} ${id}`]
}
