// License notices, gathered from the installed packages. In the executable this module is replaced by one with embedded
// notices (src/build/embed.ts).
import type { Notices } from '../../build/notices/packages.ts'

export async function readNotices(): Promise<Notices> {
  const { gatherNotices } = await import('../../build/notices/notices.ts')
  return gatherNotices()
}
