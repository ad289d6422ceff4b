import type { RedeemedCode } from '@chancery/contract'
import { Button, Text } from '@mantine/core'
import { useNation } from '../session/use-session.ts'
import { CheckIcon } from '../ui/icons.tsx'
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts'
import classes from './verify-page.module.css'

export function CodeRedeemed({ code, onAgain }: { code: RedeemedCode; onAgain: () => void }) {
  const nation = useNation()
  const again = useFocusOnMount<HTMLButtonElement>()
  return (
    <>
      <span className={classes.done}>
        <CheckIcon size={36} />
      </span>
      <div>
        <Text fw={700} size="xl">
          Redeemed
        </Text>
        <Text>
          The bot now knows that <bdi>{nation?.nation_name ?? 'your nation'}</bdi> is yours.
        </Text>
      </div>
      <p className={classes.quiet}>
        {code.with_key ? 'Whoever redeemed it used an API key.' : 'Whoever redeemed it used no API key.'} If
        that was not the bot that you wrote to, tell those who run the chat.
      </p>
      <Button variant="default" ref={again} onClick={onAgain}>
        Make another code
      </Button>
    </>
  )
}
