// Guards against changes of a database and its folder during a move.
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { TIMING } from '../../src/app/process/engine/own-gateway.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { serverClock } from '../../src/store/engines/postgres/heartbeat.ts'
import { aliveGateways } from '../../src/store/gateways.ts'
import { MAX_COMMAND_MS, takeServeLock } from '../../src/store/lock.ts'
import { closing } from '../../src/utilities/at-end.ts'

/** @throws GatewayError conflict while a gateway serves the folder */
export function lockStoppedFolder(dir: string): Disposable {
  const unlock = takeServeLock(dir)
  if (!unlock)
    throw conflict(
      `A gateway is serving ${dir}: stop it first, so that nothing is written after the copy. --copy makes a copy beside it, to try it out.`,
    )
  return unlock
}

/** Locks a database's file against writes: a command's top-up would be lost in the move. @throws GatewayError conflict */
export function lockDatabaseFile(path: string): Disposable {
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

/** Names the gateways on any machine that are running over a server's database. */
export async function namesOfRunningGateways(db: Db): Promise<string[]> {
  const silent_before_ms = (await serverClock(db)) - TIMING.silent_after_ms
  const alive = (await aliveGateways(db)).filter(({ seen_at_ms }) => (seen_at_ms ?? 0) >= silent_before_ms)
  return alive.map(({ id, name }) => `number ${id} on ${name}`)
}

/** @throws GatewayError conflict while a gateway on any machine is running */
export async function refuseRunningGateways(db: Db): Promise<void> {
  const names = await namesOfRunningGateways(db)
  if (names.length === 0) return
  throw conflict(
    `Gateways are running over this database: ${names.join(', ')}. Stop all of them first; one that was killed counts for ${TIMING.silent_after_ms / 1_000} seconds. ` +
      '--copy makes a copy beside them, to try it out.',
  )
}

/** Refuses a folder with files of a database: SQLite would replay a leftover log onto the new one. @throws GatewayError conflict */
export function refuseDatabase(path: string): void {
  const there = ['', '-wal', '-shm'].map((suffix) => path + suffix).find((each) => existsSync(each))
  if (there !== undefined)
    throw conflict(`${there} exists already: move it away if you no longer need it, or name another folder.`)
}
