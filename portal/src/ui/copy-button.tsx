import { Button, type ButtonProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAnnounce } from './announcer.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

interface Props extends ButtonProps {
  text: string
  /** The button's label, such as "Copy code". */
  label: string
}

export function CopyButton({ text, label, ...button }: Props) {
  const announce = useAnnounce()
  const [result, setResult] = useState<'copied' | 'failed' | null>(null)

  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(null), 2000)
    return () => clearTimeout(timer)
  }, [result])

  const copy = async () => {
    const isCopied = await copyText(text)
    setResult(isCopied ? 'copied' : 'failed')
    announce(isCopied ? 'Copied.' : 'The browser blocked copying. Select the text and copy it manually.')
  }

  return (
    <Button
      variant="default"
      leftSection={result === 'copied' ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      {...button}
      onClick={copy}
    >
      {result === null ? label : result === 'copied' ? 'Copied' : 'Copy it manually'}
    </Button>
  )
}

/** Writes text to the clipboard; false where the browser does not allow it. */
async function copyText(text: string): Promise<boolean> {
  // Pages served over plain HTTP from another host have no clipboard API.
  if (!navigator.clipboard) return copyBySelection(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  )
}

function copyBySelection(text: string): boolean {
  const holder = document.createElement('textarea')
  holder.value = text
  holder.className = 'off-screen'
  const focused = document.activeElement
  // Inside an open dialog: its focus trap would take the selection from an element outside.
  const parent = document.querySelector('[role="dialog"]') ?? document.body
  parent.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
