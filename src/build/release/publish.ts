// Publishing of a finished release: the npm packages, or the image, only by `bun run release --publish`.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sha256OfFile } from '../../utilities/file-hash.ts'
import { executableIn } from './files.ts'
import { packageFiles } from './npm.ts'
import { PLATFORMS } from './platforms.ts'

interface Publishing {
  readonly what: string
  readonly version: string
  /** The folder of the release. */
  readonly folder: string
  /** Runs the client's steps without publishing. */
  readonly dry_run: boolean
  /** The environment, with TOLLGATE_IMAGE. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** For example `ghcr.io/name/tollgate`; a tag is added. */
const IMAGE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+$/
const CHECKSUM_LINE = /^([0-9a-f]{64}) {2}(.+)$/

/**
 * Returns the publishing commands, in order.
 * @throws Error if the release is incomplete, or its files differ from its checksums
 */
export async function publishingCommands(publishing: Publishing): Promise<readonly string[][]> {
  const { what, version, folder, dry_run, environment } = publishing
  if (what === 'npm') {
    const files = packageFiles({ folder, version, platforms: PLATFORMS })
    await checkFiles(folder, files)
    const options = ['--access', 'public', ...(dry_run ? ['--dry-run'] : [])]
    return files.map((file) => ['npm', 'publish', file, ...options])
  }
  if (what === 'image') {
    const { TOLLGATE_IMAGE: image = '' } = environment
    if (!IMAGE.test(image))
      throw new Error('TOLLGATE_IMAGE: must be the name of the image, such as "example.com/name/tollgate"')
    const archive = join(folder, `tollgate-${version}-image.tar`)
    // Checked since a release of a single platform also has an image.
    const executables = PLATFORMS.filter(({ oci }) => oci).map((platform) => executableIn(folder, platform))
    await checkFiles(folder, [archive, ...executables])
    const tags = [version, 'latest'].map((tag) => `docker://${image}:${tag}`)
    // Skopeo's `copy` has no dry run, so this inspects the archive that would be copied.
    return dry_run
      ? [['skopeo', 'inspect', '--raw', `oci-archive:${archive}`]]
      : tags.map((tag) => ['skopeo', 'copy', '--all', '--preserve-digests', `oci-archive:${archive}`, tag])
  }
  throw new Error(`--publish: must be npm or image, not "${what}"`)
}

/** @throws Error for a file that is missing, is not in `checksums.txt`, or differs from it */
async function checkFiles(folder: string, files: readonly string[]): Promise<void> {
  const list = join(folder, 'checksums.txt')
  const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
  const sums = new Map(
    lines.flatMap((line) => {
      const [, sum = '', path = ''] = CHECKSUM_LINE.exec(line) ?? []
      return sum === '' ? [] : [[join(folder, path), sum] as const]
    }),
  )
  const absent = files.filter((file) => !existsSync(file))
  if (absent.length > 0)
    throw new Error(
      `the release is not whole: ${absent.map((file) => relative(folder, file)).join(', ')} missing; run \`bun run release\` where every platform can be built`,
    )
  for (const file of files) {
    if ((await sha256OfFile(file)) !== sums.get(file))
      throw new Error(
        `${relative(folder, file)} is not the file of checksums.txt; run \`bun run release\` again`,
      )
  }
}

/** Runs the commands in order until one fails. @returns the exit status */
export async function publish(publishing: Publishing, report: (line: string) => void): Promise<number> {
  for (const command of await publishingCommands(publishing)) {
    report(command.join(' '))
    const child = Bun.spawn(command, { stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' })
    const status = await child.exited
    if (status !== 0) {
      report(`${command[0]} ended with status ${status}: nothing after it was published`)
      return 1
    }
  }
  if (publishing.dry_run) report('Dry run: nothing was published.')
  return 0
}
