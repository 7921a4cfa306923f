// A real S3 server for tests, versitygw, over a temporary folder; undefined if it is not installed.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { retryUntilDone } from './eventually.ts'
import { freePort } from './free-port.ts'
import { IS_LONG } from './long.ts'
import { temporary } from './temporary.ts'
import { findTool, VERSITYGW } from './tools.ts'

export interface S3Server extends AsyncDisposable {
  endpoint: string
  bucket: string
  access_key_id: string
  secret_access_key: string
  /** The names of all objects, complete or not. */
  objects(): string[]
  /** The file of an object. */
  file(name: string): string
  /** Ends the server as a power cut would. Its objects stay. */
  stop(): Promise<void>
  /** Starts it again, at the same address. */
  start(): Promise<void>
  /** Lets the server accept requests without an answer, until `resume`. It has stopped answering when this returns. */
  hang(): void
  resume(): void
}

const PROGRAM = findTool(VERSITYGW)
const MISSING = `The tests of buckets need versitygw. ${VERSITYGW.install}`

export const hasS3Server = PROGRAM !== undefined
if (!hasS3Server) {
  if (IS_LONG) throw new Error(MISSING)
  process.stderr.write(`${MISSING}\n`)
}

const ROOT = { access_key_id: 'tester', secret_access_key: 'a-secret-of-the-bucket' }

/** Ends the server, and removes its folder, when the script's input ends, together with the process that holds it. Prints the server's process id first. */
const WATCH =
  'folder=$1; shift; "$@" >/dev/null 2>&1 & server=$!; echo $server; read stop; kill -KILL $server; wait $server; [ "$stop" ] || rm -rf "$folder"'

interface Running {
  child: Bun.Subprocess<'pipe', 'pipe', 'ignore'>
  pid: number
}

async function run(folder: string, command: readonly string[]): Promise<Running> {
  const { access_key_id, secret_access_key } = ROOT
  const child = Bun.spawn(['sh', '-c', WATCH, 'sh', folder, ...command], {
    env: { ...process.env, ROOT_ACCESS_KEY: access_key_id, ROOT_SECRET_KEY: secret_access_key },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  // Lets the test process end without waiting for the server.
  child.unref()
  const { value } = await child.stdout.getReader().read()
  return { child, pid: Number(new TextDecoder().decode(value)) }
}

/** Whether a stop signal has arrived: on a busy machine, the process goes on answering for a moment after it was sent. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`
  // Only Linux has this folder.
  if (!existsSync(threads)) return true
  return readdirSync(threads).every((id) => / T /.test(readFileSync(join(threads, id, 'stat'), 'utf8')))
}

/** @param bucket the name of its bucket */
export async function startS3Server(bucket = 'backups'): Promise<S3Server> {
  if (PROGRAM === undefined) throw new Error(MISSING)
  const folder = temporary()
  mkdirSync(folder.at(bucket))
  // It does not support port 0.
  const port = freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const command = [PROGRAM, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder.path]
  let running: Running | undefined
  const server: S3Server = {
    endpoint,
    bucket,
    ...ROOT,
    objects: () =>
      readdirSync(folder.at(bucket), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(folder.path.length + bucket.length + 2)),
    file: (name) => folder.at(join(bucket, name)),
    async start() {
      running = await run(folder.path, command)
      await retryUntilDone('versitygw listens', () => fetch(endpoint))
    },
    async stop() {
      void running?.child.stdin.write('stop\n')
      await running?.child.stdin.end()
      await running?.child.exited
      running = undefined
    },
    hang() {
      if (!running) return
      process.kill(running.pid, 'SIGSTOP')
      while (!isStopped(running.pid)) Bun.sleepSync(1)
    },
    resume: () => running && process.kill(running.pid, 'SIGCONT'),
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
  await server.start()
  return server
}

let shared: Promise<S3Server> | undefined
let prefixes = 0

/** The server that all tests of this process share, each with a prefix of its own. It ends with the process. */
export function sharedS3Server(): Promise<S3Server> {
  shared ??= startS3Server('files')
  return shared
}

/** An unused part of a server's bucket, as a gateway's catalogue names it. */
export function partOf({ bucket, endpoint, access_key_id, secret_access_key }: S3Server): Bucket {
  prefixes += 1
  const prefix = `part-${prefixes}/`
  return { bucket, endpoint, region: 'us-east-1', prefix, access_key_id, secret_access_key }
}
