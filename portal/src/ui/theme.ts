import {
  type CSSVariablesResolver,
  convertCssVariables,
  createTheme,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  type MantineThemeOverride,
  mergeMantineTheme,
} from '@mantine/core'
import { colorScale } from './color-scale.ts'

/** The page in the game's colour. */
export const themeOf = (accent: string): MantineThemeOverride =>
  createTheme({
    colors: {
      accent: colorScale(accent),
      // Mantine's own, at the lightness at which words on them can be read.
      red: colorScale('#e03131'),
      orange: colorScale('#e8590c'),
      teal: colorScale('#0ca678'),
      dark: [
        '#dfe2e8',
        '#b8bec9',
        '#949cab',
        '#6b7382',
        '#454c59',
        '#343a45',
        '#282d36',
        '#1d2128',
        '#15181d',
        '#0e1013',
      ],
    },
    primaryColor: 'accent',
    primaryShade: { light: 7, dark: 7 },
    black: '#1a1d23',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      // The lock writes a style element, which the content security policy refuses: shell.css locks instead.
      Modal: {
        defaultProps: {
          lockScroll: false,
          closeButtonProps: { 'aria-label': 'Close' },
          // Its head is not the page's.
          attributes: { header: { role: 'presentation' } },
        },
        styles: { title: { fontSize: '1.15rem', fontWeight: 700, overflowWrap: 'anywhere' } },
      },
      Skeleton: { defaultProps: { 'aria-hidden': true } },
    },
  })

/** Mantine's own choices for quiet text and for errors fall short of 4.5 to 1. */
const variables: CSSVariablesResolver = theme => {
  const { variables, light, dark } = defaultCssVariablesResolver(theme)
  return {
    variables,
    light: {
      ...light,
      '--mantine-color-dimmed': '#59616d',
      '--mantine-color-placeholder': '#69717d',
      '--mantine-color-error': 'var(--mantine-color-red-7)',
      '--mantine-color-default-border': 'var(--mantine-color-gray-5)',
    },
    dark: {
      ...dark,
      '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
      '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
      '--mantine-color-error': 'var(--mantine-color-red-4)',
      '--mantine-color-default-border': 'var(--mantine-color-dark-4)',
    },
  }
}

/** The rules that put a theme in force. */
export const themeRules = (override: MantineThemeOverride) =>
  convertCssVariables(variables(mergeMantineTheme(DEFAULT_THEME, override)), ':root')
