// `systemd`: a unit that runs the gateway with as few rights as it needs, for this folder and program.
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { invalidRequest } from '../domain/errors.ts'
import { parseListenAddress } from '../domain/listen-address.ts'
import { isCompiled } from '../server/relaunch.ts'
import { contextOf } from './context.ts'
import { readCatalogueOf } from './data-folder.ts'
import { systemdUnit } from './systemd-unit.ts'
import type { CliDeps } from './terminal.ts'

const USER = /^[a-z_][a-z0-9_-]{0,31}$/
const STATE_FOLDER = '/var/lib/'
const DEFAULT_DATA = '/var/lib/tollgate'
const DEFAULT_BINARY = '/usr/local/bin/tollgate'
const DEFAULT_SHUTDOWN_MS = 30_000
/** Others have what systemd would read as more: a space, `%`, `$`, quotes. */
const PLAIN_PATH = /^\/[\w./+@-]+$/
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//
/** Below it a port needs a right of its own. */
const FIRST_FREE_PORT = 1_024

export function addSystemdCommand(program: Command, deps: CliDeps): void {
  program
    .command('systemd')
    .summary('Print a unit for systemd.')
    .description(
      'Print a unit for systemd that runs the gateway with as few rights as it needs. Its data folder is --data, or ' +
        '/var/lib/tollgate; the time for a stop and the right to a port below 1024 are taken from the catalogue there.',
    )
    .option('--user <name>', 'who runs it, an existing user (default: one that systemd makes)', readUser)
    .option('--binary <path>', `the program (default: this one, else ${DEFAULT_BINARY})`, readPath)
    .action(async (options: { user?: string; binary?: string }, command: Command) => {
      const { folder, answer, warn } = contextOf(command, deps)
      const { data } = command.optsWithGlobals<{ data?: string }>()
      const named = data !== undefined || (deps.env.TOLLGATE_DATA ?? '') !== ''
      const data_folder = named ? resolve(folder.dir) : DEFAULT_DATA
      if (options.user === undefined && !isStateFolder(data_folder))
        throw invalidRequest(
          `${data_folder} is outside of ${STATE_FOLDER}, where systemd keeps the folders of the users that it makes. Name who owns it: --user NAME.`,
        )
      const binary = options.binary ?? (isCompiled() ? process.execPath : DEFAULT_BINARY)
      if (!PLAIN_PATH.test(data_folder))
        throw invalidRequest(
          `systemd would read ${data_folder} as something else. Name a folder without spaces or signs.`,
        )
      for (const path of [data_folder, binary].filter((each) => HIDDEN.test(each)))
        warn(
          `${path} is hidden from the service, which sees no home and no common temporary folder: move it.`,
        )
      const server = await serverOf(`${data_folder}/tollgate.toml`, deps)
      const unit = systemdUnit({
        binary,
        data_folder,
        user: options.user,
        state_folder: isStateFolder(data_folder) ? data_folder.slice(STATE_FOLDER.length) : undefined,
        shutdown_timeout_ms: server?.shutdown_timeout_ms ?? DEFAULT_SHUTDOWN_MS,
        low_port: server !== undefined && parseListenAddress(server.listen).port < FIRST_FREE_PORT,
      })
      answer({ unit }, unit)
    })
}

const isStateFolder = (path: string): boolean => path.startsWith(STATE_FOLDER)

/** Undefined where there is no good catalogue yet: what is left out of it is as here. */
async function serverOf(path: string, { env }: CliDeps) {
  const reading = await readCatalogueOf(path, env)
  return 'catalogue' in reading ? reading.catalogue.server : undefined
}

function readUser(name: string): string {
  if (!USER.test(name)) throw new InvalidArgumentError('Write the name of a user, such as tollgate.')
  return name
}

function readPath(path: string): string {
  if (!PLAIN_PATH.test(path)) throw new InvalidArgumentError('Write a whole path without spaces or signs.')
  return path
}
