// `bun run release`: the executable of each platform, every form of it that can be installed, and their checksums, in `dist/release`.
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { version } from '../../../package.json'
import { buildBinary, GATEWAY } from '../binary.ts'
import { writeDebianPackages } from './debian.ts'
import { executableIn, type Form, type Release, ROOT, sourceDate } from './files.ts'
import { writeInstaller } from './installer.ts'
import { ownPlatform } from './platforms.ts'

const FOLDER = join(ROOT, 'dist/release')
const FORMS: readonly Form[] = [writeDebianPackages, writeInstaller]

/** A line for each file: its size in MB, and its path in the release. */
function table(files: readonly string[]): string {
  const rows = files.map((file) => {
    const size_mb = (statSync(file).size / 1e6).toFixed(file.endsWith('.txt') ? 3 : 1)
    return `${size_mb.padStart(8)}  ${relative(FOLDER, file)}`
  })
  return ['      MB  file', ...rows, ''].join('\n')
}

export async function makeRelease(): Promise<readonly string[]> {
  const platforms = [ownPlatform()]
  const source_date = sourceDate(process.env)
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const release: Release = {
    version,
    folder: FOLDER,
    platforms,
    executable: (platform) => executableIn(FOLDER, platform),
    source_date,
  }
  for (const platform of platforms) await buildBinary({ ...GATEWAY, outfile: release.executable(platform) })
  const files = platforms.map(release.executable)
  for (const form of FORMS) files.push(...(await form(release)))
  return files
}

if (import.meta.main) process.stdout.write(table(await makeRelease()))
