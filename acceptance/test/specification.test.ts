/**
 * The specification, sentence by sentence, against a running server: black box, over HTTP.
 * In one process and in this order, because the calls of all tests come out of the same buckets.
 */
import { after } from 'node:test'
import { openFixture } from '../src/fixture.ts'
import { disclosure } from './sections/1-disclosure.ts'
import { whatTheServiceDoes } from './sections/1-what-the-service-does.ts'
import { resourcesAndTheirFields } from './sections/2-resources.ts'
import { botCommands } from './sections/4-bot-commands.ts'
import { theOperations } from './sections/4-operations.ts'
import { pagination } from './sections/4-pagination.ts'
import { verification } from './sections/4-verification.ts'
import { authentication } from './sections/5-authentication.ts'
import { eventStream } from './sections/6-event-stream.ts'
import { events } from './sections/6-events.ts'
import { errors } from './sections/7-errors.ts'
import { limits } from './sections/8-limits.ts'
import { versioning } from './sections/9-versioning.ts'
import { wholeRun } from './sections/whole-run.ts'

const fixture = await openFixture(process.env)
const { begin, rest: theRestOfLimits } = limits(fixture)
await begin()

whatTheServiceDoes(fixture)
disclosure(fixture)
resourcesAndTheirFields(fixture)
theOperations(fixture)
pagination(fixture)
verification(fixture)
botCommands(fixture)
authentication(fixture)
events(fixture)
eventStream(fixture)
errors(fixture)
versioning(fixture)
theRestOfLimits()
wholeRun(fixture)

after(() => fixture.close())
