// The gateways that this process has started for tests and not stopped.

/** Their data folders. */
export const OPEN_GATEWAYS = new Set<string>()
