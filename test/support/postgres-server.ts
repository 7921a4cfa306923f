// A PostgreSQL server for tests in a temporary folder. It stops when the process that started it ends in any way.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { prepareProgram } from './postgres-program.ts'
import { temporary } from './temporary.ts'

export interface PostgresServer extends AsyncDisposable {
  /** Of its superuser. */
  url: string
  /** Ends it at once, as by a crash, and starts it again. It does not wait until it answers. */
  crash(): void
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=400',
  'autovacuum=off',
  'full_page_writes=off',
  // Tests drive transactions into each other.
  'deadlock_timeout=50ms',
  'log_min_messages=fatal',
]

/**
 * Ends the server, and removes its folder, when its own input ends, which it does with the process that holds it. At each line the server is
 * ended at once, as by a crash, and started again: once more if it ends, since a connection of another test may have its port meanwhile.
 */
const WATCH = `folder=$1; shift; "$@" & server=$!
while read -r line; do
  kill -QUIT $server; wait $server; "$@" & server=$!
  while sleep 0.3; ! kill -0 $server 2>/dev/null; do "$@" & server=$!; done
done
kill -QUIT $server; wait $server; rm -rf "$folder"`

interface Cluster extends Disposable {
  /** Its files. */
  data: string
  /** Lets it run. @param settings as `name=value`, beside those of tests */
  run(settings?: readonly string[]): PostgresServer
}

/** Makes the files of a server, or copies those of one that does not run yet. @throws Error that says what was said, where that fails */
function makeCluster(native: string, original?: Cluster): Cluster {
  const folder = temporary()
  const { command, env } = prepareProgram(native, folder.path)
  const data = folder.at('data')
  const how = ['--no-sync', '--auth=trust', '--username=tollgate', '--encoding=UTF8', '--locale=C']
  const making = original ? ['cp', '-a', original.data, data] : command('initdb', `--pgdata=${data}`, ...how)
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
        stdout: 'ignore',
        stderr: Bun.file(folder.at('log')),
      })
      // A test process need not wait for it at its end.
      child.unref()
      return {
        url: `postgres://tollgate@127.0.0.1:${port}/postgres`,
        crash() {
          void child.stdin.write('\n')
          void child.stdin.flush()
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

/** @param settings as `name=value`, in place of those of tests @throws Error that says what was said, where that fails */
export async function startPostgres(
  native: string,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  return makeCluster(native).run(settings)
}

interface ReplicatedPostgres extends AsyncDisposable {
  primary: PostgresServer
  /** Follows the primary: each commit waits until it has it on its disk. May be read only, until it is promoted. */
  standby: PostgresServer
}

/**
 * A server, and its synchronous standby. They do not wait until they answer.
 * @param settings of each, as `name=value`, beside those of tests
 */
export async function startReplicated(
  native: string,
  settings: { primary?: readonly string[]; standby?: readonly string[] } = {},
): Promise<ReplicatedPostgres> {
  const of_primary = makeCluster(native)
  // The same server as it was made: what it does from now on is sent.
  const of_standby = makeCluster(native, of_primary)
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
