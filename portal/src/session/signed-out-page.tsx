import { Alert, Anchor } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { DemoPlayers } from './demo-players.tsx'
import classes from './signed-out-page.module.css'

export function SignedOutPage({ hasEnded }: { hasEnded: boolean }) {
  const { game, is_demo, docs_url } = usePageInfo()
  return (
    <>
      <PageHeading title="Developer settings">
        For players of {game.name} who verify themselves to a chat bot, and for people who write bots.
      </PageHeading>
      {hasEnded && (
        <Alert color="orange" variant="light" title="Your session has ended" role="alert">
          {is_demo ? 'Sign in again below.' : 'Open this page from the game to go on.'}
        </Alert>
      )}
      {is_demo ? (
        <DemoPlayers />
      ) : (
        <Section title="Open it from the game">
          <p className={classes.text}>
            There is no password here. Sign in to{' '}
            {game.url ? <Anchor href={game.url}>{game.name}</Anchor> : game.name}, and choose “Developer
            settings” there: the link that it gives you signs you in.
          </p>
        </Section>
      )}
      <Section title="What is here">
        <ul className={classes.list}>
          <li>A code that proves to a chat bot which nation is yours.</li>
          <li>Keys for bots and tools, with what each may read, and how much each calls.</li>
          <li>Webhooks: the game’s events, sent to an address of yours.</li>
          <li>What others see of your nation and your alliance.</li>
        </ul>
        <Anchor href={docs_url}>Read the API reference</Anchor>
      </Section>
    </>
  )
}
