// The gateway's readiness for calls: its ledger, pending settlements, its database file, and free disk space.
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

/** Measures the free space on a folder's disk. `is_full`: paid calls are refused. @throws the file system's error */
export async function roomOn(folder: string) {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  const free_bytes = bavail * bsize
  return { free_bytes, ffree, files, is_full: free_bytes < MIN_FREE_BYTES }
}

interface ReadinessParts {
  /** Settlements that the database cannot accept are written there. */
  data_folder: string
  database: Pick<ServedDatabase, 'trouble'>
  own_gateway: Pick<OwnGateway, 'outdated' | 'unreached'>
  ledger: Pick<Ledger, 'failing'>
  settlements: Pick<SettlementQueue, 'full'>
  running: Pick<RunningCalls, 'stopping'>
  log: Logger
}

interface Readiness {
  /** Returns the reason why paid calls are refused; undefined if they are not. Cheap, since it runs at every call. */
  closed(): string | undefined
  /** Returns the reason why free or paid calls are refused; undefined if both are accepted. */
  notReady(): string | undefined
  /** Marks the checks at the start as done. @param checkPlugins the plugins' checks: the gateway is not ready while one fails */
  started(checkPlugins: () => Promise<readonly Diagnosis[]>): void
  stop(): void
}

const CHECK_MS = 500
const PLUGINS_EVERY_MS = 5_000

/** Watches the disk, twice a second. */
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
  let is_checking = false
  const runPluginChecks = async (checkPlugins: () => Promise<readonly Diagnosis[]>) => {
    if (is_checking) return
    is_checking = true
    const failed = (await checkPlugins()).find(({ level }) => level === 'fail')
    is_checking = false
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
      // Without calls the ledger would not notice a failure.
      return closed() ?? own_gateway.unreached ?? of_plugins
    },
    started(checkPlugins) {
      is_started = true
      void runPluginChecks(checkPlugins)
      plugins_timer = setInterval(() => void runPluginChecks(checkPlugins), PLUGINS_EVERY_MS)
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
  /** Set if the disk is full. */
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
    // Dropped: the operator sees the reason on any access to the folder.
    return { reason: 'the data folder cannot be read' }
  }
}
