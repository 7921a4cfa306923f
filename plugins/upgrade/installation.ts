// The installation of this program: whether `upgrade` may replace its file. Packages and images have their own way to upgrade.
import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { conflict, type GatewayError } from '../../src/domain/errors.ts'
import { codeOf } from '../../src/utilities/thrown.ts'

interface Program {
  /** Path of its file. */
  readonly path: string
  /** False in a checkout, where the file is the runtime's. */
  readonly is_compiled: boolean
}

/** Files that exist in containers of Docker and Podman. */
const CONTAINER_MARKS = ['.dockerenv', 'run/.containerenv']
const DPKG_LIST = 'var/lib/dpkg/info/tollgate.list'
const UNITS = ['etc/systemd/system', 'usr/lib/systemd/system', 'lib/systemd/system']
const UNIT = 'tollgate.service'

/** @throws the system's error if this user cannot create files in the folder */
const requireWritable = (folder: string): void => accessSync(folder, constants.W_OK)

/**
 * Returns the executable's own file, with symbolic links resolved.
 * @param root of the file system
 * @throws GatewayError conflict for a checkout, a file of npm or dpkg, or one that this user cannot replace; the message says how to upgrade
 */
export function executableToReplace(
  { path, is_compiled }: Program,
  root = '/',
  mustBeWritable = requireWritable,
): string {
  if (!is_compiled)
    throw conflict(
      'This is a checkout, not an executable. Upgrade it by `git pull`; then restart, or build a new executable by `npx bun@1.4.5 run build`.',
    )
  const real = realpathSync(path)
  if (real.includes('/node_modules/'))
    throw conflict(
      `npm owns ${real}. Upgrade its packages: \`npm install --offline tollgate-PLATFORM-VERSION.tgz tollgate-VERSION.tgz\` with the files of the release, as you installed them (with -g if globally).`,
    )
  if (ownedByDebian(real, root))
    throw conflict(
      `dpkg owns ${real}. Upgrade its package: \`sudo apt install ./tollgate_VERSION_ARCHITECTURE.deb\` with the file of the release.`,
    )
  try {
    mustBeWritable(dirname(real))
  } catch (thrown) {
    throw unwritable(real, thrown, root)
  }
  return real
}

function ownedByDebian(path: string, root: string): boolean {
  const list = join(root, DPKG_LIST)
  return existsSync(list) && readFileSync(list, 'utf8').split('\n').includes(path)
}

function unwritable(path: string, thrown: unknown, root: string): GatewayError {
  if (CONTAINER_MARKS.some((mark) => existsSync(join(root, mark))))
    return conflict(
      `This user cannot replace ${path}, which came with the image of this container: load the image of the release, and start a new container from it on the same volume.`,
    )
  if (codeOf(thrown) === 'EROFS')
    return conflict(
      `${dirname(path)} is on a read-only file system. Upgrade by what put ${path} there, or mount it writable.`,
    )
  return conflict(
    `This user cannot replace ${path}. Run the same command by \`sudo\`, with --data and the folder's whole path.`,
  )
}

/** Returns the command that restarts the gateway's systemd service; undefined without one. @param root of the file system */
export const restartCommand = (root = '/'): string | undefined =>
  existsSync(join(root, 'run/systemd/system')) && UNITS.some((folder) => existsSync(join(root, folder, UNIT)))
    ? 'sudo systemctl restart tollgate'
    : undefined
