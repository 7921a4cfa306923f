// Whether the gateway can take calls: its ledger, the settlements that wait, its database file, and the room on its disk.
import { type Stats, statSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import type { RunningCalls } from '../exchange/running.ts'
import type { SettlementQueue } from '../exchange/settlement-queue.ts'
import type { Ledger } from '../ledger/operations.ts'
import type { Logger } from '../observe/log.ts'

export interface ReadinessParts {
  database_path: string
  ledger: Pick<Ledger, 'failing'>
  settlements: Pick<SettlementQueue, 'full'>
  running: Pick<RunningCalls, 'stopping'>
  log: Logger
}

export interface Readiness {
  /** Why no call may begin that costs something; undefined while they may. Costs nothing: asked at every call. */
  closed(): string | undefined
  /** Why the gateway takes no calls at all or no paid ones; undefined while it takes both. */
  notReady(): string | undefined
  /** The checks at start are done. */
  started(): void
  stop(): void
}

const CHECK_MS = 500

/** Less than this is too little to settle what is under way: new calls are refused while there is still some. */
export const MIN_FREE_BYTES = 4 * 1024 * 1024

/** Checks the file and the disk twice a second, beside the calls. */
export function watchReadiness(parts: ReadinessParts): Readiness {
  const { database_path, ledger, settlements, running, log } = parts
  const opened = statSync(database_path)
  let is_started = false
  let files: string | undefined
  const check = async () => {
    const found = await fileTrouble(database_path, opened)
    if (found !== files && found !== undefined)
      log.error({ reason: found }, 'not ready: new paid calls are refused')
    files = found
  }
  const timer = setInterval(() => void check(), CHECK_MS)
  timer.unref()
  const closed = () => ledger.failing ?? files ?? settlements.full
  return {
    closed,
    notReady() {
      if (running.stopping) return 'the gateway is stopping'
      if (!is_started) return 'the checks at the start are not done'
      return closed()
    },
    started() {
      is_started = true
    },
    stop: () => clearInterval(timer),
  }
}

/** What is wrong with the file under the database's path, or with its disk; undefined where nothing is. */
async function fileTrouble(path: string, opened: Pick<Stats, 'dev' | 'ino'>): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path)
    if (dev !== opened.dev || ino !== opened.ino)
      return 'the database file was replaced while the gateway ran: restart it'
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize < MIN_FREE_BYTES ? 'the disk is full' : undefined
  } catch (thrown) {
    const missing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
    return missing
      ? 'the database file is missing: put it back, or restart the gateway'
      : 'the data folder cannot be read'
  }
}
