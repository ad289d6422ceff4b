/** Compares webhook deliveries with the public OpenAPI document. It is here because the server must not import the acceptance tests. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile, openApiFor, webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { createChecker } from '../acceptance/src/fuzz/checker.ts'
import { nation, war } from '../server/test/ingest/facts.ts'
import { smallGame } from '../server/test/profile/games.ts'
import { until } from '../server/test/support/until.ts'
import { type DeliveryFixture, openDeliveryFixture } from '../server/test/webhooks/delivery-fixture.ts'

const document = openApiFor(contractFor(demoProfile))
const { event, test: testHook } = document.webhooks ?? {}
const checker = createChecker(JSON.parse(JSON.stringify(document)))

let fixture: DeliveryFixture
before(async () => {
  fixture = await openDeliveryFixture()
  await fixture.addEndpoint('bot.example')
  fixture.deliver()
  await fixture.ingest([nation('n1'), nation('n2'), war('w1', 'n1', 'n2')])
  await until(() => fixture.eventsAt('bot.example').length === 3, 'three events arrive')
})
after(() => fixture.close())

/** The problems of the messages, compared with the operation that describes them. */
function problemsOf(messages: DeliveryFixture['received'], operation: typeof event): string[] {
  assert.ok(messages.length > 0 && operation)
  const { requestBody, parameters } = operation.post
  const { schema } = requestBody?.content['application/json'] ?? {}
  return messages.flatMap(({ body, headers }) => [
    ...checker.problems(Object(schema), JSON.parse(body)),
    ...parameters.flatMap(parameter => {
      if (!('name' in parameter)) return ['a parameter is a reference']
      const { name, schema } = parameter
      const text = headers[name]
      if (text === undefined) return [`${name} is missing`]
      return checker.problems(Object(schema), schema.type === 'integer' ? Number(text) : text)
    }),
  ])
}

test('the headers and the body of a delivered event are those of the document', () => {
  assert.deepEqual(problemsOf(fixture.eventsAt('bot.example'), event), [])
})

test('the headers and the body of a test are those of the document', () => {
  const tests = fixture.received.filter(({ id }) => id.startsWith('evt_test_'))
  assert.deepEqual(problemsOf(tests, testHook), [])
  assert.notDeepEqual(problemsOf(tests, event), [])
})

test('every header of a delivery is in the document', () => {
  const named = event?.post.parameters.map(parameter => ('name' in parameter ? parameter.name : ''))
  const [{ headers = {} } = {}] = fixture.eventsAt('bot.example')
  assert.deepEqual(Object.keys(headers).sort(), ['content-type', ...(named ?? [])].sort())
})

for (const profile of [demoProfile, smallGame])
  test(`the example headers of ${profile.name} are those of the example body, signed with the stated secret`, () => {
    for (const { post } of Object.values(openApiFor(contractFor(profile)).webhooks ?? {})) {
      const { examples = {} } = post.requestBody?.content['application/json'] ?? {}
      const body: { data: { id: string } } = Object(Object.values(examples)[0]).value
      const header = (name: string) => {
        const found = post.parameters.find(parameter => 'name' in parameter && parameter.name === name)
        assert.ok(found && 'name' in found)
        return { description: found.description, example: found.schema.examples?.[0] }
      }
      const { description, example } = header(webhooks.signatureHeader)
      const [secret = ''] = /whsec_[\w+/=]+/.exec(description) ?? []
      const at = new Date(1000 * Number(header(webhooks.timestampHeader).example))
      assert.equal(header(webhooks.idHeader).example, body.data.id)
      assert.equal(example, new Webhook(secret).sign(body.data.id, at, JSON.stringify(body)))
    }
  })
