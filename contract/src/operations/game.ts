import { oneOperation } from './operation.ts'

export const gameGet = oneOperation('game', {
  id: 'game.get',
  path: '/game',
  tag: 'Game',
  summary: 'Read the game and its words',
  description: 'The game’s name, the words of its profile, the current era, and when the world last changed.',
  scope: 'none',
  body: 'shared',
  parameters: {},
})
