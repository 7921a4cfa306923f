// A PostgreSQL server for tests in a temporary folder. It stops when the process that started it ends in any way.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { prepareProgram } from './postgres-program.ts'
import { temporary } from './temporary.ts'

export interface PostgresServer extends AsyncDisposable {
  /** The address for its superuser. */
  url: string
  /** Crashes the server and starts it again. Resolves once it has ended, without waiting until it answers. */
  crash(): Promise<void>
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=400',
  'autovacuum=off',
  'full_page_writes=off',
  // No query plan has a parallel part, which would be planned for each.
  'max_parallel_workers_per_gather=0',
  // Tests drive transactions into each other.
  'deadlock_timeout=50ms',
  'log_min_messages=fatal',
]

/** Of a server without a standby: it logs less. */
const ALONE = ['wal_level=minimal', 'max_wal_senders=0']

/**
 * Ends the server, and removes its folder, when the script's input ends, together with the process that holds it. Each line crashes the
 * server, prints a line, and starts it again: once more if it ends, since a connection of another test may have its port meanwhile.
 */
const WATCH = `folder=$1; shift; "$@" >/dev/null & server=$!
while read -r line; do
  kill -QUIT $server; wait $server; echo; "$@" >/dev/null & server=$!
  while sleep 0.3; ! kill -0 $server 2>/dev/null; do "$@" >/dev/null & server=$!; done
done
kill -QUIT $server; wait $server; rm -rf "$folder"`

/** The files of a server that has not run, which every process of the suite copies: `initdb` takes 0.4 s of CPU. */
const { TOLLGATE_TEST_CLUSTER: pristine } = process.env

interface Cluster extends Disposable {
  /** Its files. */
  data: string
  /** Starts the server. @param settings as `name=value`, besides those of tests */
  run(settings?: readonly string[]): PostgresServer
}

/** Creates the files of a server, or copies those of one that has not run. @throws Error with the output of a failure */
function makeCluster(native: string, original = pristine): Cluster {
  const folder = temporary()
  const { command, env } = prepareProgram(native, folder.path)
  const data = folder.at('data')
  const options = ['--no-sync', '--auth=trust', '--username=tollgate', '--encoding=UTF8', '--locale=C']
  const making = original ? ['cp', '-a', original, data] : command('initdb', `--pgdata=${data}`, ...options)
  const made = Bun.spawnSync(making, { env, cwd: folder.path })
  if (made.exitCode !== 0)
    throw new Error(`${original ? 'the copy' : 'initdb'} failed: ${made.stderr}${made.stdout}`)
  return {
    data,
    run(more = []) {
      const port = freePort()
      const settings = [...SETTINGS, ...more].flatMap((setting) => ['-c', setting])
      const server = command('postgres', '-D', data, '-p', String(port), ...settings)
      const child = Bun.spawn(['sh', '-c', WATCH, 'sh', folder.path, ...server], {
        env,
        cwd: folder.path,
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: Bun.file(folder.at('log')),
      })
      // Lets the test process end without waiting for the server.
      child.unref()
      return {
        url: `postgres://tollgate@127.0.0.1:${port}/postgres`,
        async crash() {
          const ends = child.stdout.getReader()
          void child.stdin.write('\n')
          void child.stdin.flush()
          await ends.read()
          ends.releaseLock()
        },
        async [Symbol.asyncDispose]() {
          await child.stdin.end()
          await child.exited
          folder[Symbol.dispose]()
        },
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** Creates the files that `TOLLGATE_TEST_CLUSTER` then names, in the folder for temporary files. @throws Error with the output of a failure */
export const makePristineCluster = (native: string): { data: string } => makeCluster(native)

/** @param settings as `name=value`, in place of those of tests @param original files to copy @throws Error with the output of a failure */
export async function startPostgres(
  native: string,
  settings: readonly string[] = [],
  original = pristine,
): Promise<PostgresServer> {
  return makeCluster(native, original).run([...ALONE, ...settings])
}

interface ReplicatedPostgres extends AsyncDisposable {
  primary: PostgresServer
  /** Follows the primary: each commit waits until the standby has it on its disk. Read-only until it is promoted. */
  standby: PostgresServer
}

/**
 * Starts a server and its synchronous standby, without waiting until they answer.
 * @param settings of each, as `name=value`, besides those of tests
 */
export async function startReplicated(
  native: string,
  settings: { primary?: readonly string[]; standby?: readonly string[] } = {},
): Promise<ReplicatedPostgres> {
  const of_primary = makeCluster(native)
  // A copy of the new server, which then receives its changes.
  const of_standby = makeCluster(native, of_primary.data)
  writeFileSync(join(of_standby.data, 'standby.signal'), '')
  const primary = of_primary.run([
    'synchronous_standby_names=*',
    'wal_keep_size=256MB',
    ...(settings.primary ?? []),
  ])
  const { port } = new URL(primary.url)
  const standby = of_standby.run([
    `primary_conninfo=host=127.0.0.1 port=${port} user=tollgate`,
    ...(settings.standby ?? []),
  ])
  return {
    primary,
    standby,
    async [Symbol.asyncDispose]() {
      await standby[Symbol.asyncDispose]()
      await primary[Symbol.asyncDispose]()
    },
  }
}
