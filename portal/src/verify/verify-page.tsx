import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { ActiveCodes } from './active-codes.tsx'
import { CodePanel } from './code-panel.tsx'
import { RedeemedCodes } from './redeemed-codes.tsx'
import { SharedData } from './shared-data.tsx'
import { useCodes } from './use-codes.ts'
import classes from './verify-page.module.css'

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
        <SharedData />
      </div>
      <Section title="Codes that are waiting">
        <QueryView query={codes} rows={1}>
          {({ live, live_max }) => <ActiveCodes codes={live} max={live_max} />}
        </QueryView>
      </Section>
      <Section title="Redeemed in the last 30 days">
        <QueryView query={codes} rows={2}>
          {({ redeemed }) => <RedeemedCodes codes={redeemed} />}
        </QueryView>
      </Section>
    </>
  )
}
