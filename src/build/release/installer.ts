// The installer of a release: the script of the checkout with the release's version and its address filled in.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Release } from './files.ts'

const SOURCE = join(import.meta.dir, 'install.sh')
const EXECUTABLE_MODE = 0o755
/** Without what a shell reads within double quotes. */
const ADDRESS = /^https:\/\/[\w.:[\]/~%@+-]+$/

/**
 * Writes `install.sh`.
 * @param environment with TOLLGATE_BASE_URL, the address at which the release's files will be; without it, whoever runs the installer names it
 * @throws Error for an address that is not one
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
