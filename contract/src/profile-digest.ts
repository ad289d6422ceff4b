import type { Profile } from './profile.ts'
import { profileText } from './profile-changes.ts'

/** SHA-256 in hexadecimal digits of what a profile says: the same for two that say the same, in whatever order. */
export async function profileDigest(profile: Profile): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(profileText(profile)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}
