// `bun run release`: the executable of each platform, every form of it that can be installed, and their checksums, in `dist/release`.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { version } from '../../../package.json'
import { writeDebianPackages } from './debian.ts'
import { buildExecutables } from './executables.ts'
import { executableIn, type Form, type Release, ROOT, sourceDate } from './files.ts'
import { writeInstaller } from './installer.ts'
import { ownPlatform, PLATFORMS } from './platforms.ts'
import { readSecretKey, type SecretKey } from './signature.ts'

const FOLDER = join(ROOT, 'dist/release')
const FORMS: readonly Form[] = [writeDebianPackages, writeInstaller]

/** The key that signs the release: MINISIGN_KEY is its path, or its text. @throws Error that says what to do */
function secretKey(text: string | undefined): SecretKey | undefined {
  if (!text) return undefined
  return readSecretKey(existsSync(text) ? readFileSync(text, 'utf8') : text)
}

/** Makes the whole release anew. @returns the paths of its files */
async function makeRelease(report: (line: string) => void): Promise<readonly string[]> {
  const own = ownPlatform()
  const source_date = sourceDate(process.env)
  const key = secretKey(process.env.MINISIGN_KEY)
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const platforms = await buildExecutables({
    folder: FOLDER,
    platforms: [own, ...PLATFORMS.filter((other) => other !== own)],
    public_key: key?.public_key,
    report,
  })
  const release: Release = {
    version,
    folder: FOLDER,
    platforms,
    executable: (platform) => executableIn(FOLDER, platform),
    source_date,
  }
  const files = platforms.map(release.executable).flatMap((path) => [path, `${path}.map`])
  for (const form of FORMS) files.push(...(await form(release)))
  return files
}

/** A line for each file: its size in MB, and its path in the release. */
function table(files: readonly string[]): string {
  const rows = files.map((file) => {
    const size_mb = (statSync(file).size / 1e6).toFixed(2)
    return `${size_mb.padStart(8)}  ${relative(FOLDER, file)}`
  })
  return ['      MB  file', ...rows, ''].join('\n')
}

if (import.meta.main) {
  const files = await makeRelease((line) => process.stderr.write(`${line}\n`))
  process.stdout.write(table(files))
}
