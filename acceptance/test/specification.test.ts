/**
 * The specification, sentence by sentence, against a running server: black box, over HTTP.
 * In one process and in this order, because the calls of all tests come out of the same buckets.
 */
import { after } from 'node:test'
import { openScene } from '../src/scene.ts'
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

const scene = await openScene(process.env)
const { begin, rest: theRestOfLimits } = limits(scene)
await begin()

whatTheServiceDoes(scene)
disclosure(scene)
resourcesAndTheirFields(scene)
theOperations(scene)
pagination(scene)
verification(scene)
botCommands(scene)
authentication(scene)
events(scene)
eventStream(scene)
errors(scene)
versioning(scene)
theRestOfLimits()
wholeRun(scene)

after(() => scene.close())
