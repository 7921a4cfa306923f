// Referrals on PostgreSQL: the share of a payment, settled by two gateways.
import { expect, test } from 'bun:test'
import { shareMovementsOf } from '../../plugins/payments/shares.ts'
import { bindReferral, referralCodeOf } from '../../plugins/referral/binding.ts'
import { listReferrals } from '../../plugins/referral/listing.ts'
import { settleShares } from '../../plugins/referral/sharing.ts'
import { openSharedLedger } from '../../src/money/ledger/postgres/executor.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { brokenIn } from '../money/ledger/postgres-world.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

test.skipIf(!hasPostgres)(
  'two gateways share a payment once, and take the part of a refund back once',
  async () => {
    const { name, url } = await makeDatabase()
    const db = await openPostgres(url)
    await db.begin(async (tx) => {
      for (const [id, account] of [
        [1, 'bob'],
        [2, 'anna'],
      ] as const)
        await tx.rows(
          `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (${id}, '${account}', 'active', 0, 0, 0, 0)`,
        )
    })
    const making = {
      randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
      now_ms: 0,
    }
    const code = await referralCodeOf(db, 1, making)
    await db.begin((tx) => bindReferral(tx, { code, account_id: 2, email: 'anna@example.com' }, 0))
    await db.begin((tx) =>
      tx.rows(
        `INSERT INTO orders (id, account_id, kind, provider, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state,
         created_at_ms, changed_at_ms, expires_at_ms, paid_at_ms, refunded_minor, is_live)
       VALUES (7, 2, 'top_up', 'fake', 'USD', 300, 1, 1000, 0, 'paid', 0, 5, 9, 5, 0, 1)`,
      ),
    )
    await db.begin((tx) =>
      tx.rows(
        `INSERT INTO state_changes (subject, subject_id, account_id, from_state, to_state, source, detail, at_ms)
       VALUES ('orders', 7, 2, 'open', 'paid', 'command', '{}', 5)`,
      ),
    )
    const ledgers = [openSharedLedger(url), openSharedLedger(url)]
    const settle = () =>
      Promise.all(
        [...ledgers, ...ledgers].map((ledger) =>
          settleShares({
            ...{ db, ledger, now: () => 1_000, log: { warn: () => {} } },
            settings: () => ({ per_mille: 100, months: 12 }),
          }),
        ),
      )
    await settle()
    await db.write((db) => db.rows("UPDATE orders SET refunded_minor = 100, state = 'partly_refunded'"))
    await settle()
    await settle()
    expect(await shareMovementsOf(db, { name: 'referral', id: 7, account_id: 1 })).toEqual({
      ...{ credited_nanos: 100, taken_nanos: 33, again_nanos: 0, movements: 1 },
    })
    const { rows } = await listReferrals(db, { referrer_id: 1 }, { limit: 10 })
    expect(rows).toMatchObject([{ account_name: 'anna', referrer: 'bob', payments: 1, earned_nanos: 67 }])
    expect(await brokenIn(db)).toEqual([])
    await Promise.all([db.close(), ...ledgers.map((ledger) => ledger.close())])
    await dropDatabase(name)
  },
  60_000,
)
