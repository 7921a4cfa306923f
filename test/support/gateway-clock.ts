// The clock of a test's gateway. It follows the test's clock even on PostgreSQL, where gateways use the server's clock.
import type { Database } from 'bun:sqlite'

interface GatewayClock {
  /** The clock that the gateway takes for the machine's. */
  now: () => number
  /** From the end of the start on, which learns how far the server's clock is ahead. A later beat would learn it again. */
  follow(db: Database): void
}

/** @param now the test's */
export function gatewayClock(now: () => number): GatewayClock {
  const started_at_ms = now()
  let ahead_ms: number | undefined
  return {
    // It stands still meanwhile, so that the difference is exact.
    now: () => (ahead_ms === undefined ? started_at_ms : now() - ahead_ms),
    follow(db) {
      const [own] = db
        .query<{ seen_at_ms: number }, []>('SELECT seen_at_ms FROM gateways ORDER BY id DESC LIMIT 1')
        .all()
      ahead_ms = own ? Number(own.seen_at_ms) - started_at_ms : 0
    },
  }
}
