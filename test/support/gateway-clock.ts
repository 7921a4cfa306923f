// The clock of a test's gateway. It follows the test's clock even on PostgreSQL, where gateways use the server's clock.
import type { Database } from 'bun:sqlite'

interface GatewayClock {
  /** The gateway's clock in place of the machine's. */
  now: () => number
  /** Follows the test's clock from the end of the start on, which learns how far the server's clock is ahead. A later heartbeat would learn it again. */
  follow(db: Database): void
}

/** @param now the test's clock */
export function gatewayClock(now: () => number): GatewayClock {
  const started_at_ms = now()
  let ahead_ms: number | undefined
  return {
    // The clock stands still during the start, so that the difference is exact.
    now: () => (ahead_ms === undefined ? started_at_ms : now() - ahead_ms),
    follow(db) {
      const [own] = db
        .query<{ seen_at_ms: number }, []>('SELECT seen_at_ms FROM gateways ORDER BY id DESC LIMIT 1')
        .all()
      ahead_ms = own ? Number(own.seen_at_ms) - started_at_ms : 0
    },
  }
}
