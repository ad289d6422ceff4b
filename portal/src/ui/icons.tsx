interface IconProps {
  size?: number
}

/** A line icon of one path on a 24 px grid. It is next to a text label, so it is hidden from screen readers. */
const icon =
  (path: string) =>
  ({ size = 18 }: IconProps) => (
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
      <path d={path} />
    </svg>
  )

export const VerifyIcon = icon('M12 3 4 6v6c0 4.5 3.4 7.9 8 9 4.6-1.1 8-4.5 8-9V6zM8.5 12l2.5 2.5 4.5-5')
export const KeyIcon = icon('M3.5 15a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0zM11.2 11.8l8.3-8.3M16 7l3 3')
export const UsageIcon = icon('M4 20V11M10 20V4M16 20v-6M21 20H3')
export const WebhookIcon = icon('M4 12h11M11 7l5 5-5 5M20 5v14')
export const ExploreIcon = icon(
  'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM9 12a3 3 0 1 0 6 0 3 3 0 1 0-6 0z',
)
export const MarketIcon = icon('M3.5 4v16.5H21M7 15.5l4-5 3.5 3L20 7')
export const PlaygroundIcon = icon('M3.5 5h17v14h-17zM7.5 9.5l3 2.5-3 2.5M13 15h4')
export const LogIcon = icon('M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01')
export const BookIcon = icon(
  'M12 6.5C10 5 7 4.5 3.5 5v13.5c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5C17 4.5 14 5 12 6.5zM12 6.5V20',
)
export const GuideIcon = icon('M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18zM15.5 8.5l-2 5-5 2 2-5z')
export const SignOutIcon = icon('M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h11M17.5 8.5 21 12l-3.5 3.5')
export const CopyIcon = icon(
  'M11 9h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM5 15H4.5A1.5 1.5 0 0 1 3 13.5v-9A1.5 1.5 0 0 1 4.5 3h9A1.5 1.5 0 0 1 15 4.5V5',
)
export const CheckIcon = icon('M5 12.5l4.5 4.5L19 7.5')
export const WarnIcon = icon('M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01')
export const PlusIcon = icon('M12 5v14M5 12h14')
export const MenuIcon = icon('M4 7h16M4 12h16M4 17h16')
export const SunIcon = icon(
  'M8 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0zM12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M5.3 18.7 7 17M17 7l1.7-1.7',
)
export const MoonIcon = icon('M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z')
export const ScreenIcon = icon(
  'M5 4h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-14a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM8.5 20h7M12 16v4',
)
