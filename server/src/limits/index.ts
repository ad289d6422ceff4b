export type { Allowance, LimitStore } from './allowance.ts'
export { createMemoryLimits } from './memory.ts'
export { subjectOfAddress } from './subject-of-address.ts'
