// A gateway process, started by `serve` as an operator would, over a data folder with one account.

import { audit } from '../../src/money/ledger/audit.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import type { Call } from '../../src/store/schema.ts'
import { type DataFolder, prepareDataFolder } from './data-folder.ts'
import { type HoldOutcome, holdOutcomes } from './holds.ts'
import { commandOf } from './programs.ts'

/** The data on disk after the process has ended. */
interface Books {
  calls: Call[]
  holds: HoldOutcome[]
}

export interface GatewayProcess extends AsyncDisposable {
  url: URL
  data_folder: string
  pid: number
  /** A key for each account. */
  keys: readonly string[]
  /** The first of them. */
  key: string
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void
  /** The exit status, once the process has ended. */
  ended: Promise<number>
  books(): Books
  /** The findings of the audit. */
  findings(): Promise<readonly unknown[]>
}

/**
 * Starts the gateway and waits until it listens.
 * @param catalogue the catalogue's text
 * @param folder its data folder, or options of a new one
 */
export async function startGatewayProcess(
  catalogue: string,
  folder?: DataFolder | Parameters<typeof prepareDataFolder>[1],
  options: ProcessOptions = {},
): Promise<GatewayProcess> {
  const is_folder = folder !== undefined && 'path' in folder
  return await over(is_folder ? folder : await prepareDataFolder(catalogue, folder), options)
}

interface ProcessOptions {
  /** The UID that runs the process; only root can set it. */
  as_user?: number
  /** Additions to the environment of the tests. */
  environment?: Readonly<Record<string, string>>
  /** The file for the log. Default: the log is discarded. */
  log_path?: string
  /** The address to listen on. Default: a free port. */
  listen?: string
  /** The file of environment variables that it reads. */
  env_file?: string
}

async function over(
  folder: DataFolder,
  { as_user, environment = {}, log_path, listen = '127.0.0.1:0', env_file }: ProcessOptions,
): Promise<GatewayProcess> {
  const program = as_user === undefined ? commandOf('gateway') : [...commandOf('as-user'), String(as_user)]
  const variables = env_file === undefined ? [] : ['--env-file', env_file]
  const command = [...program, 'serve', '--data', folder.path, '--listen', listen, ...variables]
  const env = { ...process.env, ...environment }
  const stdout = log_path === undefined ? 'ignore' : Bun.file(log_path)
  const child = Bun.spawn(command, { stdin: 'ignore', stdout, stderr: 'pipe', env })
  const url = await addressOf(child.stderr)
  return {
    url,
    data_folder: folder.path,
    pid: child.pid,
    keys: folder.keys,
    key: folder.keys[0] ?? '',
    signal: (name) => child.kill(name),
    ended: child.exited,
    books() {
      const db = openDatabase(folder.database_path, { readonly: true })
      const calls = db.query<Call, []>('SELECT * FROM calls ORDER BY id').all()
      const holds = holdOutcomes(db)
      db.close()
      return { calls, holds }
    },
    async findings() {
      await using db = openDb(folder.database_path, { readonly: true })
      return (await audit(db)).findings
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}

async function addressOf(stderr: ReadableStream<Uint8Array>): Promise<URL> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const read = async () => {
    let output = ''
    for await (const bytes of stderr) {
      output += Buffer.from(bytes).toString()
      const address = /listens on (https?:\S+)/.exec(output)?.[1]
      if (address) resolve(new URL(address))
    }
    reject(new Error(`the gateway did not start: ${output}`))
  }
  void read()
  return await promise
}
