/** The guides in docs/guides that pages link to. */
export const guideNames = ['your-first-bot', 'scopes-and-privacy', 'verify-a-nation'] as const
export type GuideName = (typeof guideNames)[number]
