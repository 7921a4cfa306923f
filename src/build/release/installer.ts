// The installer of a release: the checkout's script with the release's version and URL filled in.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Release } from './files.ts'

const SOURCE = join(import.meta.dir, 'install.sh')
const EXECUTABLE_MODE = 0o755
/** Excludes characters that a shell interprets within double quotes. */
const ADDRESS = /^https:\/\/[\w.:[\]/~%@+-]+$/

/**
 * Writes `install.sh`.
 * @param environment with TOLLGATE_BASE_URL, the future URL of the release's files; without it, users must pass it to the installer
 * @throws Error for an invalid URL
 */
export async function writeInstaller(
  { version, folder }: Pick<Release, 'version' | 'folder'>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly string[]> {
  const { TOLLGATE_BASE_URL: base_url = '' } = environment
  if (base_url !== '' && !ADDRESS.test(base_url))
    throw new Error(
      `TOLLGATE_BASE_URL: must be the https:// address of the release's files, such as "https://example.com/tollgate/${version}"`,
    )
  const path = join(folder, 'install.sh')
  const source = await Bun.file(SOURCE).text()
  await Bun.write(path, source.replaceAll('@VERSION@', version).replaceAll('@BASE_URL@', base_url))
  chmodSync(path, EXECUTABLE_MODE)
  return [path]
}
