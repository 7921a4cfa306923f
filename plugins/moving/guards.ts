// Guards that keep a database and its folder as they are while they are moved.
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TIMING } from '../../src/app/process/engine/own-gateway.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { serverClock } from '../../src/store/engines/postgres/heartbeat.ts'
import { aliveGateways } from '../../src/store/gateways.ts'
import { MAX_COMMAND_MS, takeLock } from '../../src/store/lock.ts'
import { closing } from '../../src/utilities/at-end.ts'

/** @returns undefined while a gateway serves the folder; until its end none can begin to */
export const lockOf = (dir: string): ReturnType<typeof takeLock> =>
  takeLock(join(dir, 'serve.lock'), MAX_COMMAND_MS)

/** @throws GatewayError conflict while a gateway serves the folder */
export function stoppedFolder(dir: string): Disposable {
  const unlock = lockOf(dir)
  if (!unlock)
    throw conflict(
      `A gateway is serving ${dir}: stop it first, so that nothing is written after the copy. --copy makes a copy beside it, to try it out.`,
    )
  return unlock
}

/** Until its end nobody writes a database's file: a top-up by a command would stay behind. @throws GatewayError conflict */
export function unchanged(path: string): Disposable {
  const db = closing(new Database(path, { readwrite: true }))
  try {
    db.run(`PRAGMA busy_timeout = ${MAX_COMMAND_MS}`)
    db.run('BEGIN IMMEDIATE')
    return db
  } catch (cause) {
    db.close()
    throw conflict(`Another command is writing ${path}: try again when it has finished.`, { cause })
  }
}

/** The gateways that are alive, on any machine, over a database on a server: in words. */
export async function aliveNames(db: Db): Promise<string[]> {
  const silent_before_ms = (await serverClock(db)) - TIMING.silent_after_ms
  const alive = (await aliveGateways(db)).filter(({ seen_at_ms }) => (seen_at_ms ?? 0) >= silent_before_ms)
  return alive.map(({ id, name }) => `number ${id} on ${name}`)
}

/** @throws GatewayError conflict while a gateway on any machine is alive */
export async function refuseAlive(db: Db): Promise<void> {
  const names = await aliveNames(db)
  if (names.length === 0) return
  throw conflict(
    `Gateways are running over this database: ${names.join(', ')}. Stop all of them first; one that was killed counts for ${TIMING.silent_after_ms / 1_000} seconds. ` +
      '--copy makes a copy beside them, to try it out.',
  )
}

/** SQLite would replay a log that was left onto the new database. @throws GatewayError conflict */
export function refuseDatabase(path: string): void {
  const there = ['', '-wal', '-shm'].map((suffix) => path + suffix).find((each) => existsSync(each))
  if (there !== undefined)
    throw conflict(`${there} exists already: move it away if you no longer need it, or name another folder.`)
}
