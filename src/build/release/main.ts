// The command `bun run release`: the executable of each platform, its installable forms, and their checksums, in `dist/release`.
import { statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../../package.json'
import { messageOf } from '../../utilities/thrown.ts'
import { writeArchives } from './archives.ts'
import { readKey, writeChecksums } from './checksums.ts'
import { writeDebianPackages } from './debian.ts'
import { buildExecutables } from './executables.ts'
import { clearFolder, executableIn, type NoticedRelease, ROOT, sourceDate } from './files.ts'
import { writeImage } from './image.ts'
import { writeInstaller } from './installer.ts'
import { writeNpmPackages } from './npm.ts'
import { ownPlatform, PLATFORMS } from './platforms.ts'
import { publish } from './publish.ts'
import { writeBillOfMaterials } from './sbom.ts'

type Report = (line: string) => void
type Build = typeof buildExecutables

/** The forms, in the order of the printed table. */
const FORMS: Readonly<Record<string, (release: NoticedRelease) => Promise<readonly string[]>>> = {
  archives: writeArchives,
  'Debian packages': writeDebianPackages,
  'npm packages': writeNpmPackages,
  'the image': writeImage,
  'the installer': (release) => writeInstaller(release),
  'the bill of materials': writeBillOfMaterials,
}

/** Builds the whole release from scratch. @returns the paths of its files */
async function makeRelease(folder: string, report: Report, build: Build): Promise<readonly string[]> {
  const own = ownPlatform()
  const source_date = sourceDate(process.env)
  const key = readKey(process.env.MINISIGN_KEY)
  clearFolder(folder)
  const built = await build({
    folder,
    platforms: [own, ...PLATFORMS.filter((other) => other !== own)],
    public_key: key?.public_key,
    report,
  })
  const release: NoticedRelease = {
    version,
    folder,
    platforms: PLATFORMS.filter((platform) => built.has(platform)),
    executable: (platform) => executableIn(folder, platform),
    notices: (platform) => built.get(platform) ?? { notices: [], texts: {} },
    source_date,
  }
  const files = release.platforms.map(release.executable).flatMap((path) => [path, `${path}.map`])
  for (const [name, write] of Object.entries(FORMS)) {
    report(`Writing ${name}`)
    files.push(...(await write(release)))
  }
  return [...files, ...(await writeChecksums(release, files, key))]
}

/** Formats a line for each file: its size in MB, and its path in the release. */
function table(folder: string, files: readonly string[]): string {
  const rows = files.map((file) => {
    const size_mb = (statSync(file).size / 1e6).toFixed(2)
    return `${size_mb.padStart(8)}  ${relative(folder, file)}`
  })
  return ['      MB  file', ...rows, ''].join('\n')
}

/** Runs the command. @param build what builds the executables @returns its status */
export async function main(build: Build): Promise<number> {
  const report: Report = (line) => void process.stderr.write(`${line}\n`)
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(ROOT, 'dist/release') },
      publish: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  const folder = resolve(values.folder)
  const { publish: what, 'dry-run': dry_run } = values
  if (what !== undefined)
    return await publish({ what, version, folder, dry_run, environment: process.env }, report)
  if (dry_run) throw new Error('--dry-run: belongs to --publish npm or --publish image')
  process.stdout.write(table(folder, await makeRelease(folder, report, build)))
  return 0
}

if (import.meta.main) {
  try {
    process.exitCode = await main(buildExecutables)
  } catch (refusal) {
    process.stderr.write(`error: ${messageOf(refusal)}\n`)
    process.exitCode = 1
  }
}
