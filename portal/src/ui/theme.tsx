import {
  type CSSVariablesResolver,
  convertCssVariables,
  createTheme,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  MantineProvider,
  type MantineThemeOverride,
  mergeMantineTheme,
} from '@mantine/core'
import { type ReactNode, useLayoutEffect, useMemo, useState } from 'react'

/** Used until the game's colour has loaded. */
const neutralAccent = '#5c677d'

/**
 * Mantine with the game's accent colour. The CSS variables are set in an adopted style sheet, because the content security policy
 * refuses the style elements that Mantine would create.
 */
export function ThemeProvider({ accent, children }: { accent: string | undefined; children: ReactNode }) {
  const theme = useMemo(() => themeOf(accent ?? neutralAccent), [accent])
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

const themeOf = (accent: string): MantineThemeOverride =>
  createTheme({
    colors: {
      accent: colorScale(accent),
      // Mantine's hues, at lightness levels that keep text readable on them.
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
      // Mantine's scroll lock creates a style element, which the content security policy refuses; global.css locks instead.
      Modal: {
        defaultProps: {
          lockScroll: false,
          closeButtonProps: { 'aria-label': 'Close' },
          // Only the page's header is a banner landmark.
          attributes: { header: { role: 'presentation' } },
        },
        styles: { title: { fontSize: '1.15rem', fontWeight: 700, overflowWrap: 'anywhere' } },
      },
      Skeleton: { defaultProps: { 'aria-hidden': true } },
    },
  })

/** Mantine's default colours of dimmed text and errors have a contrast below 4.5 to 1. */
const resolveVariables: CSSVariablesResolver = theme => {
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

const themeRules = (override: MantineThemeOverride) =>
  convertCssVariables(resolveVariables(mergeMantineTheme(DEFAULT_THEME, override)), ':root')

/** Ten shades, lightest first, in Mantine's form. */
type ColorScale = [string, string, string, string, string, string, string, string, string, string]

/**
 * Perceived lightness (OKLab) of each shade. It is the same for every hue, so that contrast does not depend on the game's
 * accent colour: white on shade 7 and shade 7 on white are at least 4.5 to 1, and so is shade 4 on the dark page.
 */
const lightness = [0.975, 0.945, 0.89, 0.83, 0.77, 0.69, 0.6, 0.53, 0.455, 0.36] as const

/** Light shades are used as backgrounds of text and have a lower chroma. */
const chromaShare = [0.12, 0.25, 0.45, 0.65, 0.85, 1, 1, 1, 0.95, 0.85] as const

const grey = { chroma: 0, hue: 0 }

/** Returns the scale of an accent colour (#rrggbb). Any other text gives a grey scale. */
function colorScale(accent: string): ColorScale {
  const { chroma, hue } = chromaAndHue(accent) ?? grey
  const shade = (index: number) => hexOf(lightness[index] ?? 0, chroma * (chromaShare[index] ?? 1), hue)
  return [shade(0), shade(1), shade(2), shade(3), shade(4), shade(5), shade(6), shade(7), shade(8), shade(9)]
}

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const fromLinear = (value: number) =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055

// https://bottosson.github.io/posts/oklab/
function chromaAndHue(hex: string) {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex)
  if (!match) return null
  const [r = 0, g = 0, b = 0] = match.slice(1).map(part => toLinear(Number.parseInt(part, 16) / 255))
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const green = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const blue = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { chroma: Math.hypot(green, blue), hue: Math.atan2(blue, green) }
}

/** Reduces the chroma until the shade is within the sRGB gamut at its lightness. */
function hexOf(light: number, chroma: number, hue: number): string {
  const channels = channelsOf(light, chroma, hue)
  const isInGamut = channels.every(value => value >= -0.0001 && value <= 1.0001)
  if (!isInGamut && chroma > 0.001) return hexOf(light, chroma * 0.95, hue)
  const bytes = channels.map(value => Math.round(fromLinear(Math.min(1, Math.max(0, value))) * 255))
  return `#${bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}

function channelsOf(light: number, chroma: number, hue: number): [number, number, number] {
  const green = chroma * Math.cos(hue)
  const blue = chroma * Math.sin(hue)
  const l = (light + 0.3963377774 * green + 0.2158037573 * blue) ** 3
  const m = (light - 0.1055613458 * green - 0.0638541728 * blue) ** 3
  const s = (light - 0.0894841775 * green - 1.291485548 * blue) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}
