// Two who come at the same moment, by sessions of their own: both have begun, and wait for what a third holds, before either goes on.
import type { Db, Tx } from '../../../src/store/db.ts'
import { eventually } from '../../support/eventually.ts'

/** Locks what both are to wait for. */
export type Hold = (tx: Tx) => unknown

/** How work ended: `done`, or the kind of its refusal. */
export const endOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (thrown: Error & { kind?: string }) => thrown.kind ?? thrown.message,
  )

/**
 * Begins one after the other, each once the one before it waits, so that they go on in this order.
 *
 * @param third a session of neither
 * @returns how they ended
 * @throws Error where one of them ends without having waited
 */
export async function atOnce(
  third: Db,
  hold: Hold,
  works: readonly (() => Promise<unknown>)[],
): Promise<string[]> {
  const ends: Promise<string>[] = []
  try {
    await third.begin(async (tx) => {
      // A busy machine may take longer than a gateway.
      await tx.rows("SELECT set_config('idle_in_transaction_session_timeout', '60s', true)")
      await hold(tx)
      for (const work of works) {
        const end = endOf(work())
        ends.push(end)
        await Promise.race([
          eventually('it waits', async () => (await waiting(third)) === ends.length),
          end.then((ended) => {
            throw new Error(`It did not wait: ${ended}`)
          }),
        ])
      }
    })
  } finally {
    await Promise.allSettled(ends)
  }
  return await Promise.all(ends)
}

async function waiting(db: Db): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return row?.count ?? 0
}
