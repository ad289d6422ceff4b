import { Loaded } from '../page/loaded.tsx'
import { PageHeading } from '../page/page-heading.tsx'
import { Section } from '../page/section.tsx'
import { CodePanel } from './code-panel.tsx'
import { LiveCodes } from './live-codes.tsx'
import { RedeemedCodes } from './redeemed-codes.tsx'
import { useCodes } from './use-codes.ts'
import classes from './verify-page.module.css'
import { WhatTheBotLearns } from './what-the-bot-learns.tsx'

/** Proves to a chat bot which nation is the player's. */
export function VerifyPage() {
  const codes = useCodes()
  return (
    <>
      <PageHeading title="Verify">
        Prove to a chat bot which nation is yours: make a code here, and give it to the bot’s verify command.
      </PageHeading>
      <div className={classes.top}>
        <CodePanel codes={codes.data} />
        <WhatTheBotLearns />
      </div>
      <Section title="Codes that are waiting">
        <Loaded query={codes} rows={1}>
          {({ live, live_max }) => <LiveCodes codes={live} max={live_max} />}
        </Loaded>
      </Section>
      <Section title="Redeemed in the last 30 days">
        <Loaded query={codes} rows={2}>
          {({ redeemed }) => <RedeemedCodes codes={redeemed} />}
        </Loaded>
      </Section>
    </>
  )
}
