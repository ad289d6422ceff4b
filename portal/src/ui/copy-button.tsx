import { Button, type ButtonProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAnnounce } from './announcer.tsx'
import { copyText } from './copy-text.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'

interface Props extends ButtonProps {
  text: string
  /** What the button says: "Copy code". */
  label: string
}

export function CopyButton({ text, label, ...button }: Props) {
  const announce = useAnnounce()
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null)

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), 2000)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = async () => {
    const isCopied = await copyText(text)
    setOutcome(isCopied ? 'copied' : 'failed')
    announce(isCopied ? 'Copied.' : 'The browser did not allow copying. Select the text and copy it.')
  }

  return (
    <Button
      variant="default"
      leftSection={outcome === 'copied' ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      {...button}
      onClick={copy}
    >
      {outcome === null ? label : outcome === 'copied' ? 'Copied' : 'Select and copy it'}
    </Button>
  )
}
