import type { ReactNode } from 'react'

/** Line icons on a 24 px grid. Each stands next to a text label, so it is hidden from screen readers. */
function Icon({ size = 18, children }: { size?: number | undefined; children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  )
}

interface IconProps {
  size?: number
}

export const VerifyIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M12 3 4 6v6c0 4.5 3.4 7.9 8 9 4.6-1.1 8-4.5 8-9V6z" />
    <path d="m8.5 12 2.5 2.5 4.5-5" />
  </Icon>
)
export const KeyIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <circle cx="8" cy="15" r="4.5" />
    <path d="m11.2 11.8 8.3-8.3M16 7l3 3" />
  </Icon>
)
export const UsageIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M4 20V11M10 20V4M16 20v-6M21 20H3" />
  </Icon>
)
export const WebhookIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M4 12h11M11 7l5 5-5 5M20 5v14" />
  </Icon>
)
export const ExploreIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="3" />
  </Icon>
)
export const PlaygroundIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M3.5 5h17v14h-17zM7.5 9.5l3 2.5-3 2.5M13 15h4" />
  </Icon>
)
export const LogIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01" />
  </Icon>
)
export const BookIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M12 6.5C10 5 7 4.5 3.5 5v13.5c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5C17 4.5 14 5 12 6.5zM12 6.5V20" />
  </Icon>
)
export const SignOutIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h11M17.5 8.5 21 12l-3.5 3.5" />
  </Icon>
)
export const CopyIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4.5A1.5 1.5 0 0 1 3 13.5v-9A1.5 1.5 0 0 1 4.5 3h9A1.5 1.5 0 0 1 15 4.5V5" />
  </Icon>
)
export const CheckIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="m5 12.5 4.5 4.5L19 7.5" />
  </Icon>
)
export const WarnIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01" />
  </Icon>
)
export const PlusIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M12 5v14M5 12h14" />
  </Icon>
)
export const MenuIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M4 7h16M4 12h16M4 17h16" />
  </Icon>
)
export const SunIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M5.3 18.7 7 17M17 7l1.7-1.7" />
  </Icon>
)
export const MoonIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <path d="M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z" />
  </Icon>
)
export const ScreenIcon = ({ size }: IconProps) => (
  <Icon size={size}>
    <rect x="3" y="4" width="18" height="12" rx="2" />
    <path d="M8.5 20h7M12 16v4" />
  </Icon>
)
