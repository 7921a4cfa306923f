// A real server of S3 for tests, versitygw, over a folder of its own; undefined where it is not on this machine.
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { IS_LONG } from './long.ts'
import { temporary } from './temporary.ts'
import { findTool, VERSITYGW } from './tools.ts'

export interface S3Server extends AsyncDisposable {
  endpoint: string
  bucket: string
  access_key_id: string
  secret_access_key: string
  /** The names of all objects, whole or not. */
  objects(): string[]
  /** The file of an object. */
  file(name: string): string
}

const PROGRAM = findTool(VERSITYGW)
const MISSING = `The tests of buckets need versitygw. ${VERSITYGW.install}`

export const hasS3Server = PROGRAM !== undefined
if (!hasS3Server) {
  if (IS_LONG) throw new Error(MISSING)
  process.stderr.write(`${MISSING}\n`)
}

export async function startS3Server(): Promise<S3Server> {
  if (PROGRAM === undefined) throw new Error(MISSING)
  const folder = temporary()
  const bucket = 'backups'
  mkdirSync(folder.at(bucket))
  // It takes no port 0.
  const port = freePort()
  const [access_key_id, secret_access_key] = ['tester', 'a-secret-of-the-bucket']
  const child = Bun.spawn([PROGRAM, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder.path], {
    env: { ...process.env, ROOT_ACCESS_KEY: access_key_id, ROOT_SECRET_KEY: secret_access_key },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const endpoint = `http://127.0.0.1:${port}`
  await eventually('versitygw listens', () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  )
  return {
    endpoint,
    bucket,
    access_key_id,
    secret_access_key,
    objects: () =>
      readdirSync(folder.at(bucket), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(folder.path.length + bucket.length + 2)),
    file: (name) => folder.at(join(bucket, name)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}
