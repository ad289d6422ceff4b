import { VisuallyHidden } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const AnnouncerContext = createContext<(text: string) => void>(() => {})

/** Announces text to screen readers: a result of the user's action, or a change in the background. */
export const useAnnounce = () => useContext(AnnouncerContext)

export function Announcer({ children }: { children: ReactNode }) {
  const [announcement, setAnnouncement] = useState({ text: '', count: 0 })
  const announce = useCallback(
    (text: string) => setAnnouncement(({ count }) => ({ text, count: count + 1 })),
    [],
  )
  return (
    <AnnouncerContext value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new element each time, so that a repeated text is announced again. */}
        <span key={announcement.count}>{announcement.text}</span>
      </VisuallyHidden>
    </AnnouncerContext>
  )
}
