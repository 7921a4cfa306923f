// Owns the one setting that must be in the environment before the runtime starts: how many requests go upstream at once.

const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/**
 * Bun lets 256 fetches go at once and queues the rest, and reads its limit only when the process starts
 * (bun.sh/docs/api/fetch, "Simultaneous connection limit"): a gateway with more streams than that would stand still. The
 * largest value that it takes is 65,535.
 */
const MAX_AT_ONCE = '65535'

/**
 * Starts the same program anew in the same process, with the limit raised; returns at once where it is set already, or
 * where the system cannot replace a process (the gateway then works, up to Bun's own limit).
 *
 * @param argv the process's whole `process.argv`
 */
export function raiseFetchLimit(argv: readonly string[]): void {
  if (process.env[VARIABLE] !== undefined || process.execve === undefined) return
  const program = compiled() ? argv.slice(2) : [...process.execArgv, ...argv.slice(1)]
  process.execve(process.execPath, [process.execPath, ...program], {
    ...process.env,
    [VARIABLE]: MAX_AT_ONCE,
  })
}

/** A compiled program's own files lie in a file system of Bun's; it takes no path of a script as its argument. */
const compiled = (): boolean => import.meta.url.includes('/$bunfs/')
