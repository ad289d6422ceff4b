import Type from 'typebox'
import { demoProfile } from '../profile/demo.ts'
import { listOf, nullable, strictObject, text } from '../shared-schemas.ts'
import { jsonResponse, operatorOperation } from './operation.ts'

const profile = Type.Unknown({ description: 'A game profile. `chancery profile schema` prints its schema.' })
/** Short, for the document. */
const example = { name: demoProfile.name, '…': '…' }

export const profileGet = operatorOperation({
  id: 'profile.get',
  method: 'GET',
  path: '/profile',
  tag: 'Service',
  roles: ['facts'],
  summary: 'Read the game profile',
  description: 'The game profile with which the database was served last.',
  responses: { 200: jsonResponse('The profile.', strictObject({ profile }), { profile: example }) },
  errors: ['not_found'],
})

export const profileCompare = operatorOperation({
  id: 'profile.compare',
  method: 'POST',
  path: '/profile/compare',
  tag: 'Service',
  roles: [],
  summary: 'Compare a game profile',
  description:
    'What would change if the service were started with a profile, and which changes stored data contradicts. Nothing is changed.',
  body: { schema: strictObject({ profile }), examples: { Profile: { profile: example } } },
  isAudited: false,
  responses: {
    200: jsonResponse(
      'The comparison.',
      strictObject({
        is_first: Type.Boolean({ description: 'Whether the database was never served with a profile.' }),
        changes: listOf(
          strictObject({
            path: text(1000, { description: 'The term, or the list.' }),
            kind: text(64, { description: 'The kind of change.' }),
            what: nullable(
              strictObject(
                {
                  name: text(64, { description: 'The member.' }),
                  from: text(1000, { description: 'Its value before.' }),
                  to: text(1000, { description: 'Its new value.' }),
                },
                { description: 'The changed member; null if the term is new or removed.' },
              ),
            ),
            renamed_to: nullable(
              text(64, { description: 'The key that is probably its new name; null for none.' }),
            ),
          }),
          { description: 'The changes.' },
        ),
        rejections: listOf(text(10_000), {
          description: 'Why the service would not start with it, one text for each change.',
        }),
      }),
      {
        is_first: false,
        changes: [{ path: 'war_types.civil', kind: 'added', what: null, renamed_to: null }],
        rejections: [],
      },
    ),
  },
})
