// The notices of others' work, gathered anew from what is installed. The executable has this module replaced by one that has
// them embedded (src/build/embed.ts).
import type { Notices } from '../../build/notices/packages.ts'

export async function readNotices(): Promise<Notices> {
  const { gatherNotices } = await import('../../build/notices/notices.ts')
  return gatherNotices()
}
