// The Debian package of any program, written in a process of its own, since it takes 400 MB: VERSION FOLDER PROGRAM.
import { writeDebianPackages } from '../../src/build/release/debian.ts'
import { ownPlatform } from '../../src/build/release/platforms.ts'

const [, , version = '', folder = '', program = ''] = process.argv
await writeDebianPackages({
  version,
  folder,
  platforms: [ownPlatform()],
  source_date: new Date('2026-11-20T10:00:00Z'),
  executable: () => program,
  notices: () => ({ notices: [], texts: {} }),
})
