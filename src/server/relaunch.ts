// The start with a raised fetch limit, which the runtime reads from the environment before it runs anything.

const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/**
 * Bun runs 256 fetches at once, queues the rest, and reads this limit only when the process starts
 * (bun.sh/docs/api/fetch, "Simultaneous connection limit"): a gateway with more open streams would stall.
 * This is the largest value it accepts.
 */
const MAX_FETCHES = '65535'

/**
 * Replaces this process by the same program with the limit raised. Returns where the limit is set already, or where the
 * system cannot replace a process (the gateway then works, up to Bun's own limit). Options of the runtime are passed on,
 * so `bun --watch` goes on watching: it restarts the process with its environment, and the limit is set then.
 *
 * @param argv the whole `process.argv`
 */
export function raiseFetchLimit(argv: readonly string[]): void {
  if (process.env[VARIABLE] !== undefined || process.execve === undefined) return
  const program = isCompiled() ? argv.slice(2) : [...process.execArgv, ...argv.slice(1)]
  process.execve(process.execPath, [process.execPath, ...program], {
    ...process.env,
    [VARIABLE]: MAX_FETCHES,
  })
}

/** A compiled program's files are in a file system of Bun's own, and it takes no path of a script as an argument. */
export const isCompiled = (): boolean => import.meta.url.includes('/$bunfs/')
