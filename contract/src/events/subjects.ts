import type { TSchema } from 'typebox'
import { allianceReference, belligerent, nationReference } from '../resources/references.ts'
import { annotate, nullable } from '../shapes.ts'
import { profileKey } from '../text-origin.ts'

/** The same shape with another description. */
export const about = <S extends TSchema>(schema: S, description: string) => annotate(schema, { description })

export const theNation = () => about(nationReference(), 'The nation, under its name of that time.')
export const theAlliance = () => about(allianceReference(), 'The alliance, under its name of that time.')
export const attacker = () => about(belligerent(), 'The nation that declared the war.')
export const defender = () => about(belligerent(), 'The nation it was declared on.')
export const typeOfWar = () => nullable(profileKey('Key of the kind of war, as in the game profile.'))
