import { VisuallyHidden } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const AnnouncerContext = createContext<(text: string) => void>(() => {})

/** Says something to those who hear the page: what changed without their doing, and that what they did has worked. */
export const useAnnounce = () => useContext(AnnouncerContext)

export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', times: 0 })
  const announce = useCallback((text: string) => setSaid(({ times }) => ({ text, times: times + 1 })), [])
  return (
    <AnnouncerContext value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new element each time, so that the same words are said again. */}
        <span key={said.times}>{said.text}</span>
      </VisuallyHidden>
    </AnnouncerContext>
  )
}
