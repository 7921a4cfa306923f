// The executables of a release: one for each platform whose runtime and native packages this machine can obtain.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { atEnd } from '../../utilities/at-end.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { buildBinary, GATEWAY } from '../binary.ts'
import { embedConsole, embedNotices, embedReference, replacing } from '../embed.ts'
import { gatherNotices } from '../notices/notices.ts'
import type { Notices } from '../notices/packages.ts'
import { executableIn, ROOT } from './files.ts'
import type { Platform } from './platforms.ts'

/** What every executable is built from. */
interface Program {
  readonly entrypoints: readonly string[]
  /** Creates the plugins that are the same for all platforms, in a folder that exists during the builds. */
  shared(folder: string): Promise<readonly BunPlugin[]>
}

const PROGRAM: Program = {
  entrypoints: GATEWAY.entrypoints,
  shared: (folder) =>
    // Quality 11 compresses the reference from 4.3 to 0.93 MB in 36 s, quality 9 to 0.98 MB in 2 s.
    Promise.all([embedConsole({ brotli_quality: 11 }, folder), embedReference(9, folder)]),
}

interface ExecutablesOptions {
  /** The folder of the release. */
  readonly folder: string
  /** This machine's platform first: if its build fails, the release fails. */
  readonly platforms: readonly Platform[]
  /** The public key of the release's signature; undefined if it is not signed. */
  readonly public_key: string | undefined
  /** Receives a line for each build, and for each omitted platform with the reason. */
  readonly report: (line: string) => void
  /** The gateway, unless a test builds a smaller one. */
  readonly program?: Program
}

/**
 * Builds `bin/PLATFORM/tollgate` and its source map in the same folder.
 * @returns the built platforms, with the notices of their executables
 * @throws Error if the executable of this machine's platform cannot be built
 */
export async function buildExecutables(options: ExecutablesOptions): Promise<ReadonlyMap<Platform, Notices>> {
  const { platforms, report, program = PROGRAM } = options
  const work_folder = join(options.folder, '.build')
  mkdirSync(work_folder)
  using _removing = atEnd(() => rmSync(work_folder, { recursive: true, force: true }))
  const shared = await program.shared(work_folder)
  const built = new Map<Platform, Notices>()
  for (const [at, platform] of platforms.entries()) {
    report(`Building ${platform.name}`)
    try {
      const root = at === 0 ? ROOT : installFor(platform, join(work_folder, platform.name))
      await build(options, platform, root, shared)
      built.set(platform, gatherNotices(root))
    } catch (refusal) {
      if (at === 0) throw refusal
      report(`Left out ${platform.name}: ${messageOf(refusal)}`)
      rmSync(dirname(executableIn(options.folder, platform)), { recursive: true, force: true })
    }
  }
  return built
}

async function build(
  { folder, public_key, program = PROGRAM }: ExecutablesOptions,
  platform: Platform,
  root: string,
  shared: readonly BunPlugin[],
): Promise<void> {
  const outfile = executableIn(folder, platform)
  await buildBinary({
    entrypoints: program.entrypoints,
    outfile,
    source_map: `${outfile}.map`,
    embed: [embedNotices, async () => embedPublicKey(public_key), ...shared.map((made) => async () => made)],
    ...(root === ROOT ? {} : { platform: { target: platform.bun_target, root } }),
  })
}

const embedPublicKey = (public_key: string | undefined): BunPlugin =>
  replacing('src/build/release/public-key.ts', [
    `export const RELEASE_PUBLIC_KEY = ${public_key === undefined ? 'undefined' : JSON.stringify(public_key)}`,
  ])

/**
 * Installs the packages of another platform in a folder, from the lock file, which has their hashes.
 * @throws Error if the registry does not have them, or does not answer
 */
function installFor({ npm }: Platform, folder: string): string {
  mkdirSync(folder)
  for (const file of ['package.json', 'bun.lock', 'bunfig.toml'])
    copyFileSync(join(ROOT, file), join(folder, file))
  const child = Bun.spawnSync(
    [
      ...[process.execPath, 'install', '--frozen-lockfile', '--production', '--ignore-scripts'],
      ...Object.entries(npm).map(([name, value]) => `--${name}=${value}`),
    ],
    { cwd: folder, stdout: 'ignore', stderr: 'pipe' },
  )
  if (child.success) return folder
  const reason = /^error: (.+)$/m.exec(child.stderr.toString())?.[1] ?? `status ${child.exitCode}`
  throw new Error(`\`bun install\` cannot fetch its packages: ${reason}`)
}
