// The Debian packages of any program, written in a process of its own, since each takes 400 MB: FOLDER PROGRAM VERSION…
import { writeDebianPackages } from '../../src/build/release/debian.ts'
import { ownPlatform } from '../../src/build/release/platforms.ts'

const [, , folder = '', program = '', ...versions] = process.argv
for (const version of versions)
  await writeDebianPackages({
    version,
    folder,
    platforms: [ownPlatform()],
    source_date: new Date('2026-11-20T10:00:00Z'),
    executable: () => program,
    notices: () => ({ notices: [], texts: {} }),
  })
