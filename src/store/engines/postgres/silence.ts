// The silence of a server: once one connection has waited for it in vain, all connections without a recent answer are closed, lent or not.
//
// After a failover, the connections to the former server are dead without any notice. Otherwise each would keep its next user waiting
// until the timeout, one after the other. A query on an idle connection distinguishes this from a slow statement.

interface WatchedConnection {
  /** When the server was last known to respond, on the clock of `performance.now()`. */
  readonly answered_ms: number
  /** The connection has a statement that may take long without an answer. */
  readonly is_patient: boolean
  /** The connection has no statement that waits for an answer. */
  readonly is_idle: boolean
  /** Whether the server answers on this connection within this time. Never rejects. */
  isAnswered(within_ms: number): Promise<boolean>
  lose(): void
}

/** A connection that was answered more recently is left open: the server is known to respond to it. */
const MIN_SILENCE_MS = 500
const MAX_PROBE_MS = 500

/** Open connections of this process, by URL. */
const open = new Map<string, Set<WatchedConnection>>()

/** @returns a function to call when the connection is closed */
export function watchSilence(url: string, connection: WatchedConnection): () => void {
  const all = open.get(url) ?? new Set()
  open.set(url, all.add(connection))
  return () => {
    all.delete(connection)
    if (all.size === 0) open.delete(url)
  }
}

/** Closes silent connections. Called when an answer did not arrive in time. Never rejects. */
export async function loseSilent(url: string): Promise<void> {
  const latest_ms = performance.now() - MIN_SILENCE_MS
  const isSilent = ({ is_patient, answered_ms }: WatchedConnection) => !is_patient && answered_ms < latest_ms
  const silent = [...(open.get(url) ?? [])].filter(isSilent)
  // The connection with the longest silence: a newer one may lead to another server.
  const [probe] = silent
    .filter(({ is_idle }) => is_idle)
    .toSorted((one, other) => one.answered_ms - other.answered_ms)
  if (await probe?.isAnswered(MAX_PROBE_MS)) return
  for (const connection of silent) if (isSilent(connection)) connection.lose()
}
