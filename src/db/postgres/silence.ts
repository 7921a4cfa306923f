// The silence of a server: once one connection has waited for it in vain, all that were not answered lately are given up, lent or not.
//
// After a failover each connection to the former server is dead, without a word of it. Left alone, each would keep its next user waiting
// to the end of the time-out, one after the other.

interface Answered {
  /** When the server was last known to be there, by `performance.now()`. */
  readonly answered_ms: number
  /** A statement that may take its time is not answered for long. */
  readonly is_patient: boolean
  lose(): void
}

/** One that was answered within it is left alone: that the server is there for it is known. */
const MIN_SILENCE_MS = 500

/** Open connections of this process, by the address that they lead to. */
const open = new Map<string, Set<Answered>>()

/** @returns called once it is closed */
export function watchSilence(url: string, connection: Answered): () => void {
  const all = open.get(url) ?? new Set()
  open.set(url, all.add(connection))
  return () => {
    all.delete(connection)
    if (all.size === 0) open.delete(url)
  }
}

/** To be called when an answer did not come in its time. */
export function loseSilent(url: string): void {
  const latest_ms = performance.now() - MIN_SILENCE_MS
  for (const connection of [...(open.get(url) ?? [])])
    if (!connection.is_patient && connection.answered_ms < latest_ms) connection.lose()
}
