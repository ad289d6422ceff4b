import { written } from '../calendar.ts'
import type { Random } from '../random.ts'
import { put, type Step } from '../step.ts'
import type { Story } from './desk.ts'

export function publishNews(step: Step) {
  const random = step.random('news')
  for (const happening of step.happenings) {
    if (happening.kind === 'war_declared' && random.chance(0.2)) {
      const { attacker, defender, reason } = happening.war
      publish(
        step,
        {
          title: `${attacker.name} declares war on ${defender.name}`,
          paragraphs: [reason],
          topic: 'war',
          nations: [attacker, defender],
          alliances: [],
        },
        happening.at,
        random,
      )
    }
  }
}
function publish(step: Step, story: Story, at: number, random: Random) {
  void random
  put(
    step,
    'news_item',
    {
      id: step.nextId('news'),
      title: story.title,
      body: story.paragraphs.join('\n\n'),
      published_at: written(at),
      nation_ids: story.nations.map(n => n.id),
    },
    at,
  )
}
