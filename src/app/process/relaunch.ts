// The start with the runtime's settings, which it reads from the environment before it runs anything.
import { totalmem } from 'node:os'

const FETCH_LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/**
 * Bun runs 256 fetches at once, queues the rest, and reads this limit only when the process starts
 * (bun.sh/docs/api/fetch, "Simultaneous connection limit"): a gateway with more open streams would stall.
 * This is the largest value it accepts.
 */
const MAX_FETCHES = '65535'

/**
 * The collector lets garbage grow with the machine's memory. As on a machine of 1 GB it collects more often, which costs no CPU
 * that can be measured: 137 MB at most in place of 188 under 64 connections on 24 GB. It is no limit: what is in use may grow beyond.
 * A container may have less than the machine: the runtime reckons with that by itself, and so it stays.
 */
const MAX_COLLECTORS_MEMORY_BYTES = 1024 ** 3

/**
 * Replaces this process by the same program with the settings that are not in its environment yet. Returns where the process
 * was replaced already, or where the system cannot do that (the gateway then works, up to Bun's own limits). Options of the
 * runtime are passed on, so `bun --watch` goes on watching: it restarts the process with its environment.
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

/** Reports whether a command line is that of `serve`: a command comes first, or behind options. The word may be an argument of another. */
export const isServe = ([first = '', ...rest]: readonly string[]): boolean =>
  first === 'serve' || (first.startsWith('-') && rest.includes('serve'))

/** A compiled program's files are in a file system of Bun's own, and it takes no path of a script as an argument. */
export const isCompiled = (): boolean => import.meta.url.includes('/$bunfs/')

/** The memory of the container, else of the machine. */
const memoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
