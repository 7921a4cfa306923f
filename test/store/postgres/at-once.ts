// Two who come at the same moment, by sessions of their own: both have begun, and wait for what a third holds, before either goes on.
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

/** Two works on an account that no other case has. */
export interface Race<Made = unknown> {
  /** What is there before both. */
  make?(db: Db, account: Account): Promise<Made>
  /** What both wait for; absent: the account. */
  hold?(tx: Tx, account: Account, made: Made): unknown
  first(db: Db, account: Account, made: Made): Promise<unknown>
  second(db: Db, account: Account, made: Made): Promise<unknown>
  /** Both are done where absent. */
  ends?: readonly [first: string, second: string]
  /** What is there then, as a text of SQL in which `$id` and `$name` are the account's; and its values. */
  look?: string
  left?: unknown[]
}

/** Names the type of what is made. */
export const race = <Made>(one: Race<Made>): Race => one as Race

/** The same work at both. */
export const both = <Made>(work: Race<Made>['first']): Pick<Race<Made>, 'first' | 'second'> => ({
  first: work,
  second: work,
})

/** For what is the operator's, or of no account. */
export const operator = (tx: Tx) => tx.lock(null)

let count = 0

/** A test for each race of each group, by their names. */
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

/** How work ended: `done`, or the kind of its refusal. */
const endOf = (work: Promise<unknown>): Promise<string> =>
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
