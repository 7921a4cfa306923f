// The silence of a server: once one connection has waited for it in vain, all that were not answered lately are given up, lent or not.
//
// After a failover each connection to the former server is dead, without a word of it. Left alone, each would keep its next user waiting
// to the end of the time-out, one after the other. A statement that is only slow is told from that by a question over an idle connection.

interface Answered {
  /** When the server was last known to be there, by `performance.now()`. */
  readonly answered_ms: number
  /** A statement that may take its time is not answered for long. */
  readonly is_patient: boolean
  /** Nobody waits for an answer over it. */
  readonly is_idle: boolean
  /** Whether the server answers over it in this time. Never rejects. */
  isAnswered(within_ms: number): Promise<boolean>
  lose(): void
}

/** One that was answered within it is left alone: that the server is there for it is known. */
const MIN_SILENCE_MS = 500
const MAX_PROBE_MS = 500

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

/** To be called when an answer did not come in its time. Never rejects. */
export async function loseSilent(url: string): Promise<void> {
  const latest_ms = performance.now() - MIN_SILENCE_MS
  const isSilent = ({ is_patient, answered_ms }: Answered) => !is_patient && answered_ms < latest_ms
  const silent = [...(open.get(url) ?? [])].filter(isSilent)
  // The one of the longest silence: a newer one may lead to another server.
  const [probe] = silent
    .filter(({ is_idle }) => is_idle)
    .toSorted((one, other) => one.answered_ms - other.answered_ms)
  if (await probe?.isAnswered(MAX_PROBE_MS)) return
  for (const connection of silent) if (isSilent(connection)) connection.lose()
}
