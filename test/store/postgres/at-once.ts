// Races of two gateways, each with its own sessions: both have started, and wait for a lock of a third, before either goes on.
import { afterAll, describe, expect, test } from 'bun:test'
import { createAccount } from '../../../src/access/accounts.ts'
import type { Issuance } from '../../../src/access/keys.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import type { Account } from '../../../src/store/schema.ts'
import { eventually } from '../../support/eventually.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

export const NOW = 1_700_000_000_000
export const issuing: Issuance = {
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  now_ms: NOW,
}

/** Two gateways over one database, a third session, and the database's address. */
export async function contestants() {
  const { url, db: third } = await databaseOfFile()
  const [one, other] = await Promise.all([0, 1].map(() => (hasPostgres ? openPostgres(url) : third)))
  afterAll(async () => {
    await one?.close()
    await other?.close()
  })
  return { url, one: one ?? third, other: other ?? third, third }
}

/** A race of two operations on an account of its own. */
export interface Race<Made = unknown> {
  /** Makes the rows that exist before both. */
  make?(db: Db, account: Account): Promise<Made>
  /** Takes the lock for which both wait; absent: that of the account. */
  hold?(tx: Tx, account: Account, made: Made): unknown
  first(db: Db, account: Account, made: Made): Promise<unknown>
  second(db: Db, account: Account, made: Made): Promise<unknown>
  /** Absent: both are done. */
  ends?: readonly [first: string, second: string]
  /** A query for the rows that are left, in which `$id` and `$name` are those of the account; `left` has its values. */
  look?: string
  left?: unknown[]
}

/** Infers the type of the made value. */
export const race = <Made>(one: Race<Made>): Race => one as Race

/** The same operation at both. */
export const both = <Made>(work: Race<Made>['first']): Pick<Race<Made>, 'first' | 'second'> => ({
  first: work,
  second: work,
})

/** Takes the lock of the operator, for rows without an account. */
export const operator = (tx: Tx) => tx.lock(null)

let count = 0

/** Declares a test for each race of each group. */
export const testRaces = (
  { one, other, third }: Awaited<ReturnType<typeof contestants>>,
  groups: Readonly<Record<string, Readonly<Record<string, Race>>>>,
) =>
  describe.if(hasPostgres).each(Object.entries(groups))('%s', (_, races) => {
    test.each(Object.entries(races))('%s', async (_, { make, hold, first, second, ends, look, left }) => {
      const account = await createAccount(one, { name: `ada-${++count}`, now_ms: NOW })
      const { id, name } = account
      const made = await make?.(one, account)
      const works = [() => first(one, account, made), () => second(other, account, made)]
      const holding = (tx: Tx) => (hold ? hold(tx, account, made) : tx.lock(id))
      expect(await atOnce(third, holding, works)).toEqual([...(ends ?? ['done', 'done'])])
      if (!look) return
      const rows = await third.rows<object>(look, { id, name })
      expect(rows.flatMap((row) => Object.values(row))).toEqual(left ?? [])
    })
  })

/** The end of work: `done`, or the kind of its refusal. */
const endOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (thrown: Error & { kind?: string }) => thrown.kind ?? thrown.message,
  )

/**
 * Begins the works one after the other, each once the one before it waits, so that they go on in this order.
 *
 * @param third a session of neither
 * @returns how they ended
 * @throws Error if one of them ends without having waited
 */
export async function atOnce(
  third: Db,
  hold: (tx: Tx) => unknown,
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
