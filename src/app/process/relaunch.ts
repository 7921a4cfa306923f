// The relaunch of the process with settings that the runtime reads only from its initial environment.
import { totalmem } from 'node:os'

const FETCH_LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/**
 * Bun runs 256 fetches at once, queues the rest, and reads this limit only when the process starts
 * (bun.sh/docs/api/fetch, "Simultaneous connection limit"): a gateway with more open streams would stall.
 * This is the largest value it accepts.
 */
const MAX_FETCHES = '65535'

/**
 * The garbage collector lets garbage grow with the machine's memory. Set to 1 GB it collects more often, at no measurable CPU cost:
 * 137 MB at most instead of 188 with 64 connections on 24 GB. It is no limit: memory in use may exceed it.
 * If a container has less memory, the smaller value applies, as by the runtime's default.
 */
const MAX_COLLECTORS_MEMORY_BYTES = 1024 ** 3

/**
 * Replaces this process by the same program with the missing settings in its environment. Returns if the process
 * was already replaced, or the system cannot do it (the gateway then works within Bun's own limits). Options of the
 * runtime are passed on, so `bun --watch` continues to watch: it restarts the process with its environment.
 */
export function relaunchWithSettings(argv: readonly string[]): void {
  if (process.env[FETCH_LIMIT] !== undefined || process.execve === undefined) return
  const program = isCompiled() ? argv.slice(2) : [...process.execArgv, ...argv.slice(1)]
  try {
    process.execve(process.execPath, [process.execPath, ...program], {
      BUN_JSC_forceRAMSize: String(Math.min(memoryBytes(), MAX_COLLECTORS_MEMORY_BYTES)),
      ...process.env,
      [FETCH_LIMIT]: MAX_FETCHES,
    })
  } catch {
    // Dropped: the system cannot, as under an emulator of another processor.
  }
}

/** Whether a command line may be that of `serve`: first, or after options, where the word may also be an argument of another command. */
export const isServe = ([first = '', ...rest]: readonly string[]): boolean =>
  first === 'serve' || (first.startsWith('-') && rest.includes('serve'))

/** Whether this is the executable: its files are in Bun's virtual file system, and its arguments have no script path. */
export const isCompiled = (): boolean => import.meta.url.includes('/$bunfs/')

/** The memory of the container, or of the machine outside one. */
const memoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
