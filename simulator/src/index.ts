export { type Batch, type Fact, linesOf } from './fact.ts'
export type { WorldOptions } from './state.ts'
export { type DemoViewer, type DemoViewers, demoViewers } from './viewers.ts'
export { createWorld, simulateHistory, type World } from './world.ts'
