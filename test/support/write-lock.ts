// A child process that holds the database's write lock until a test releases it.

/** Run with `bun -e`: prints `locked` once it has the lock, and releases it when its standard input ends. */
const PROGRAM = `
  const { Database } = require('bun:sqlite')
  const db = new Database(process.argv[1])
  db.run('PRAGMA busy_timeout = 5000')
  db.run('BEGIN IMMEDIATE')
  process.stdout.write('locked')
  process.stdin.on('end', () => { db.run('ROLLBACK'); process.exit(0) }).resume()
`

/** The wait of a gateway whose test holds the lock for longer; the default is five seconds. */
export const MAX_BUSY_WAIT_MS = 300

/** Takes the write lock of a database. @returns a function that releases it and resolves when the process has ended */
export async function takeWriteLock(database_path: string): Promise<() => Promise<void>> {
  const holder = Bun.spawn([process.execPath, '-e', PROGRAM, database_path], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await holder.stdout.getReader().read()
  if (Buffer.from(value ?? []).toString() !== 'locked') throw new Error('the write lock could not be taken')
  return async () => {
    await holder.stdin.end()
    await holder.exited
  }
}
