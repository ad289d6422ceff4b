import { MantineProvider } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useMemo, useState } from 'react'
import { themeOf, themeRules } from './theme.ts'

/** Until the game's colour is known. */
const neutral = '#5c677d'

/**
 * Mantine in the game's colour. Its variables go into a sheet of their own: the style elements that Mantine would write need an
 * exception in the content security policy.
 */
export function ThemeProvider({ accent, children }: { accent: string | undefined; children: ReactNode }) {
  const theme = useMemo(() => themeOf(accent ?? neutral), [accent])
  const [sheet] = useState(() => new CSSStyleSheet())

  useLayoutEffect(() => {
    sheet.replaceSync(themeRules(theme))
    document.adoptedStyleSheets = [...document.adoptedStyleSheets.filter(other => other !== sheet), sheet]
  }, [sheet, theme])

  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  )
}
