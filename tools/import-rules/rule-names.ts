import { forbidden } from '../../.dependency-cruiser.ts'
import { clientRule } from './client-violations.ts'

export const ruleNames = [...forbidden.flatMap(({ name }) => name ?? []), clientRule]
