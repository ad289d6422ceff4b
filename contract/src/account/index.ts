export * from './errors.ts'
export * from './requests.ts'
export * from './responses.ts'
