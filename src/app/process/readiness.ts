// Whether the gateway can take calls: its ledger, the settlements that wait, its database file, and the room on its disk.
import { statfs } from 'node:fs/promises'
import type { RunningCalls } from '../../calls/life/running.ts'
import type { SettlementQueue } from '../../calls/settling/queue.ts'
import type { Ledger } from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import { MIN_FREE_BYTES } from '../../store/disk-room.ts'
import { sizeText } from '../../utilities/size-text.ts'
import type { Diagnosis } from '../checks/check.ts'
import type { ServedDatabase } from './engine/engine.ts'
import type { OwnGateway } from './engine/own-gateway.ts'

/** The room on the disk of a folder. `is_full`: paid calls are refused. @throws the file system's error */
export async function roomOn(folder: string) {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  const free_bytes = bavail * bsize
  return { free_bytes, ffree, files, is_full: free_bytes < MIN_FREE_BYTES }
}

interface ReadinessParts {
  /** Settlements that the database does not take are written there. */
  data_folder: string
  database: Pick<ServedDatabase, 'trouble'>
  own_gateway: Pick<OwnGateway, 'outdated' | 'unreached'>
  ledger: Pick<Ledger, 'failing'>
  settlements: Pick<SettlementQueue, 'full'>
  running: Pick<RunningCalls, 'stopping'>
  log: Logger
}

interface Readiness {
  /** Why no call may begin that costs something; undefined while they may. Costs nothing: asked at every call. */
  closed(): string | undefined
  /** Why the gateway takes no calls at all or no paid ones; undefined while it takes both. */
  notReady(): string | undefined
  /** The checks at start are done. @param lookAtPlugins what plugins find: the gateway is not ready while one of them fails */
  started(lookAtPlugins: () => Promise<readonly Diagnosis[]>): void
  stop(): void
}

const CHECK_MS = 500
const PLUGINS_EVERY_MS = 5_000

/** Checks the disk twice a second, beside the calls. */
export function watchReadiness(parts: ReadinessParts): Readiness {
  const { data_folder, database, own_gateway, ledger, settlements, running, log } = parts
  let is_started = false
  let disk: string | undefined
  let since_ms = 0
  const check = async () => {
    const { reason, ...facts } = (await diskTrouble(data_folder)) ?? {}
    if (reason === disk) return
    const before = disk
    disk = reason
    if (reason !== undefined) {
      if (before === undefined) since_ms = performance.now()
      log.error({ reason, ...facts }, 'not ready: new paid calls are refused')
    } else if (closed() === undefined)
      log.info(
        { reason: before, lasted_ms: Math.round(performance.now() - since_ms) },
        'ready again: paid calls are taken',
      )
  }
  let of_plugins: string | undefined
  let is_looking = false
  const lookAt = async (look: () => Promise<readonly Diagnosis[]>) => {
    if (is_looking) return
    is_looking = true
    const failed = (await look()).find(({ level }) => level === 'fail')
    is_looking = false
    if (failed?.found === of_plugins) return
    of_plugins = failed?.found
    if (failed)
      log.error({ reason: failed.found, advice: failed.advice }, 'not ready, by a check of a plugin')
    else log.info({}, 'ready again, by all checks of plugins')
  }
  let plugins_timer: Timer | undefined
  const closed = () => database.trouble ?? own_gateway.outdated ?? ledger.failing ?? disk ?? settlements.full
  const timer = setInterval(() => void check(), CHECK_MS)
  timer.unref()
  return {
    closed,
    notReady() {
      if (running.stopping) return 'the gateway is stopping'
      if (!is_started) return 'the checks at the start are not done'
      // Without calls the ledger would not know.
      return closed() ?? own_gateway.unreached ?? of_plugins
    },
    started(lookAtPlugins) {
      is_started = true
      void lookAt(lookAtPlugins)
      plugins_timer = setInterval(() => void lookAt(lookAtPlugins), PLUGINS_EVERY_MS)
      plugins_timer.unref()
    },
    stop() {
      clearInterval(timer)
      clearInterval(plugins_timer)
    },
  }
}

interface Trouble {
  reason: string
  /** Where the disk is full. */
  folder?: string
  free?: string
  needed?: string
}

async function diskTrouble(folder: string): Promise<Trouble | undefined> {
  try {
    const { free_bytes, is_full } = await roomOn(folder)
    if (!is_full) return undefined
    const room = { free: sizeText(free_bytes), needed: sizeText(MIN_FREE_BYTES) }
    return { reason: 'the disk is full', folder, ...room }
  } catch {
    // Dropped: why. Whoever looks at the folder is told the same.
    return { reason: 'the data folder cannot be read' }
  }
}
