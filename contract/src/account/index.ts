export * from './answers.ts'
export * from './errors.ts'
export * from './requests.ts'
