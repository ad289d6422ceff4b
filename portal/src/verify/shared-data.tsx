import { Alert, Text } from '@mantine/core'
import { useNation } from '../session/use-session.ts'
import { CheckIcon, WarnIcon } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import classes from './verify-page.module.css'

export function SharedData() {
  const nation = useNation()
  const learnt: [what: string, name?: string | undefined, more?: string][] = [
    ['Your nation', nation?.nation_name],
    ['Its leader', nation?.leader_name],
    ['Its score'],
    ['Your alliance', nation?.alliance?.name, ', and your rank there'],
  ]
  return (
    <Section title="What the bot will learn">
      <ul className={classes.learns}>
        {learnt.map(([what, name, more]) => (
          <li key={what}>
            <CheckIcon size={16} />
            <span>
              {what}
              {/* A name that turns the direction of writing turns its own alone. */}
              {name && (
                <>
                  , <bdi>{name}</bdi>
                </>
              )}
              {more}
            </span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" mb="md">
        Nothing else: neither your units nor your treasury, and it can do nothing in the game.
      </Text>
      <Alert
        color="orange"
        variant="light"
        icon={<WarnIcon />}
        title="The code is for the bot’s command alone"
      >
        Never give it to somebody who asks for it in a private message, whoever they say they are: with it
        they could pass for you.
      </Alert>
    </Section>
  )
}
