import { SegmentedControl, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './color-scheme-switch.module.css'
import { MoonIcon, ScreenIcon, SunIcon } from './icons.tsx'

const choice = (icon: ReactNode, label: string) => (
  <span className={classes.choice} title={label}>
    {icon}
    <VisuallyHidden>{label}</VisuallyHidden>
  </span>
)

export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      aria-label="Colours"
      size="xs"
      value={colorScheme}
      onChange={setColorScheme}
      data={[
        { value: 'auto', label: choice(<ScreenIcon size={15} />, 'Like the system') },
        { value: 'light', label: choice(<SunIcon size={15} />, 'Light') },
        { value: 'dark', label: choice(<MoonIcon size={15} />, 'Dark') },
      ]}
    />
  )
}
