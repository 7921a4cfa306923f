// `systemd`: a unit that runs the gateway with as few rights as it needs, for this folder and program.
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { isAbsent } from '../db/folder.ts'
import type { BackupPlace, Catalogue } from '../domain/catalogue.ts'
import { invalidRequest } from '../domain/errors.ts'
import { parseListenAddress } from '../domain/listen-address.ts'
import { isCompiled } from '../server/relaunch.ts'
import { type Context, contextOf } from './context.ts'
import { readCatalogueOf } from './data-folder.ts'
import { systemdUnit, type UnitParts } from './systemd-unit.ts'
import type { CliDeps } from './terminal.ts'

const USER = /^[a-z_][a-z0-9_-]{0,31}$/
const STATE_FOLDER = '/var/lib/'
/** `/var/lib/tollgate` of a user that systemd makes is a link into it. */
const PRIVATE_FOLDER = '/var/lib/private/'
const DEFAULT_DATA = '/var/lib/tollgate'
const DEFAULT_BINARY = '/usr/local/bin/tollgate'
const DEFAULT_SHUTDOWN_MS = 30_000
/** Others have what systemd would read as more: a space, `%`, `$`, quotes. */
const PLAIN_PATH = /^\/[\w./+@-]+$/
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)(\/|$)/
/** Below it a port needs a right of its own. */
const FIRST_FREE_PORT = 1_024

export function addSystemdCommand(program: Command, deps: CliDeps): void {
  program
    .command('systemd')
    .summary('Print a unit for systemd.')
    .description(
      'Print a unit for systemd that runs the gateway with as few rights as it needs. Its data folder is --data, or ' +
        '/var/lib/tollgate; the time for a stop, the right to a port below 1024 and the folder of backups are taken from the catalogue there.',
    )
    .option('--user <name>', 'who runs it, an existing user (default: one that systemd makes)', readUser)
    .option('--binary <path>', `the program (default: this one, else ${DEFAULT_BINARY})`, readPath)
    .action(async (options: { user?: string; binary?: string }, command: Command) => {
      const { folder, answer, warn } = contextOf(command, deps)
      const { data } = command.optsWithGlobals<{ data?: string }>()
      const named = data !== undefined || (deps.env.TOLLGATE_DATA ?? '') !== ''
      const data_folder = named ? resolve(folder.dir) : DEFAULT_DATA
      requireSuited(data_folder, options.user)
      const binary = options.binary ?? (isCompiled() ? process.execPath : DEFAULT_BINARY)
      const catalogue = await catalogueIn(data_folder, { env: deps.env, warn })
      const backup_folder = outsideOf(data_folder, catalogue?.backup.place)
      if (backup_folder !== undefined) requirePlain(backup_folder)
      const tls_files = [catalogue?.server.tls_certificate, catalogue?.server.tls_key].flatMap((file) =>
        file === undefined ? [] : [resolve(data_folder, file)],
      )
      const places = [data_folder, binary, backup_folder ?? data_folder, ...tls_files]
      for (const text of troublesOf(places, { backup_folder, user: options.user })) warn(text)
      const unit = systemdUnit({
        binary,
        data_folder,
        user: options.user,
        state_folder: isStateFolder(data_folder) ? data_folder.slice(STATE_FOLDER.length) : undefined,
        backup_folder,
        shutdown_timeout_ms: catalogue?.server.shutdown_timeout_ms ?? DEFAULT_SHUTDOWN_MS,
        low_port:
          catalogue !== undefined && parseListenAddress(catalogue.server.listen).port < FIRST_FREE_PORT,
      })
      answer({ unit }, unit)
    })
}

const isStateFolder = (path: string): boolean => path.startsWith(STATE_FOLDER)

/** @throws GatewayError invalid_request for a data folder that no unit could name */
function requireSuited(data_folder: string, user: string | undefined): void {
  if (user === undefined && !isStateFolder(data_folder))
    throw invalidRequest(
      `${data_folder} is outside of ${STATE_FOLDER}, where systemd keeps the folders of the users that it makes. Name who owns it: --user NAME.`,
    )
  if (data_folder.startsWith(PRIVATE_FOLDER))
    throw invalidRequest(
      `${PRIVATE_FOLDER} is where systemd itself keeps such folders. Name it as it is seen: ${STATE_FOLDER}${data_folder.slice(PRIVATE_FOLDER.length)}.`,
    )
  requirePlain(data_folder)
}

function requirePlain(folder: string): void {
  if (!PLAIN_PATH.test(folder))
    throw invalidRequest(
      `systemd would read ${folder} as something else. Name a folder without spaces or signs.`,
    )
}

/** What the service will not be able to do, a text each. @param places whole paths of what it uses */
function troublesOf(
  places: readonly string[],
  { backup_folder, user }: Pick<UnitParts, 'backup_folder' | 'user'>,
): string[] {
  const hidden = [...new Set(places)].filter((path) => HIDDEN.test(path))
  const troubles = hidden.map(
    (path) =>
      `${path} is hidden from the service, which sees no home and no common temporary folder: move it.`,
  )
  return backup_folder === undefined || user !== undefined
    ? troubles
    : [
        ...troubles,
        `${backup_folder}, where backups go, cannot be given to a user that systemd makes: name an existing one with --user NAME who may write there.`,
      ]
}

/** Undefined where there is none yet, or no good one, which is warned of: what is left out of it is as by default. */
async function catalogueIn(
  data_folder: string,
  { env, warn }: Pick<CliDeps, 'env'> & Pick<Context, 'warn'>,
): Promise<Catalogue | undefined> {
  const path = join(data_folder, 'tollgate.toml')
  if (isAbsent(path)) return undefined
  const reading = await readCatalogueOf(path, env)
  if ('catalogue' in reading) return reading.catalogue
  warn(
    `The unit goes by the defaults (stop, port, backups), since the catalogue has a mistake or cannot be read. Mend it, or run this as root:\n${reading.lines.join('\n')}`,
  )
  return undefined
}

/** The folder of backups where it is not in the data folder, which can be written anyway. */
function outsideOf(data_folder: string, place: BackupPlace | undefined): string | undefined {
  if (place?.kind !== 'folder') return undefined
  const folder = resolve(data_folder, place.folder)
  return folder === data_folder || folder.startsWith(`${data_folder}/`) ? undefined : folder
}

function readUser(name: string): string {
  if (!USER.test(name)) throw new InvalidArgumentError('Write the name of a user, such as tollgate.')
  return name
}

function readPath(path: string): string {
  if (!PLAIN_PATH.test(path)) throw new InvalidArgumentError('Write a whole path without spaces or signs.')
  return path
}
