// Races for vouchers: of many requests that redeem one at once, one account is credited, once, on both engines and over two executors.
import { describe, expect, test } from 'bun:test'
import { generateCode } from '../../plugins/vouchers/code.ts'
import { revokeBatch } from '../../plugins/vouchers/ending.ts'
import { redeemVoucher } from '../../plugins/vouchers/redeeming.ts'
import { insertBatch, insertVouchers, unusedVoucherNanos } from '../../plugins/vouchers/store.ts'
import { hashKey } from '../../src/access/secret.ts'
import type { Ledger, TopUpOperation } from '../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../src/money/ledger/postgres/executor.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { brokenIn } from '../money/ledger/postgres-world.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { redeem, USD, voucherScene } from './scene.ts'

const scene = await voucherScene(['anna', 'bert'])
const { gateway, create, balance } = scene

describe('over sockets', () => {
  test('20 requests of two accounts at once lead to one credit', async () => {
    const [anna, bert] = [await scene.owner('anna'), await scene.owner('bert')]
    const code = await scene.code({ amount: '7' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => redeem(at % 2 === 0 ? anna : bert, code)),
    )
    const bodies = await Promise.all(
      answers.map(async (answer) => ({
        status: answer.status,
        body: (await answer.json()) as { again?: boolean },
      })),
    )
    expect(bodies.filter(({ status, body }) => status === 200 && !body.again)).toHaveLength(1)
    expect((await balance('anna')) + (await balance('bert'))).toBe(7 * USD)
    expect(bodies.filter(({ status }) => status === 409).length).toBe(10)
  })

  test('five vouchers of a once-per-account batch lead to one credit when redeemed at once', async () => {
    const before = await balance('anna')
    const anna = await scene.owner('anna')
    const { codes, batch } = await create({ count: 5, once_per_account: true, amount: '2' })
    const statuses = (await Promise.all(codes.map((code) => redeem(anna, code)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409])
    expect((await balance('anna')) - before).toBe(2 * USD)
    expect(
      await scene.one<object>(
        `SELECT COUNT(*) AS count FROM vouchers WHERE batch_id = ${batch} AND state = 'new'`,
      ),
    ).toEqual({ count: 4 })
  })

  test('a voucher that is redeemed and revoked at once becomes one of both', async () => {
    const anna = await scene.owner('anna')
    for (let round = 0; round < 4; round++) {
      const before = await balance('anna')
      const { codes, batch } = await create({ amount: '1' })
      const [{ status }, revoked] = await Promise.all([
        redeem(anna, codes[0] ?? ''),
        gateway.store
          .begin((tx) => revokeBatch(tx, batch, { source: 'operator', now_ms: Date.now() }))
          // Dropped: the refusal of a batch without unused vouchers.
          .catch(() => 0),
      ])
      expect([status, revoked]).toEqual(status === 200 ? [200, 0] : [409, 1])
      expect((await balance('anna')) - before).toBe(status === 200 ? USD : 0)
    }
  })
})

describe.skipIf(!hasPostgres)('over two ledgers on PostgreSQL', () => {
  test('ten vouchers, each redeemed 20 times at once by two accounts: each is one credit', async () => {
    const { name, url } = await makeDatabase()
    const db = await openPostgres(url)
    const ledgers = [openSharedLedger(url), openSharedLedger(url)] as const
    await db.begin((tx) =>
      tx.rows(
        "INSERT INTO accounts VALUES (1, 'anna', 'active', 0, 0, 0, 0), (2, 'bert', 'active', 0, 0, 0, 0)",
      ),
    )
    const codes = Array.from({ length: 10 }, () =>
      generateCode((length) => crypto.getRandomValues(new Uint8Array(length))),
    )
    await db.begin(async (tx) => {
      const batch = await insertBatch(tx, { note: '', once_each: 0, created_at_ms: 0 })
      const vouchers = codes.map((code, at) => ({
        sha256: hashKey(code),
        hint: '',
        amount_nanos: at + 1,
        expires_at_ms: null,
      }))
      await insertVouchers(tx, batch, vouchers)
    })
    expect(await unusedVoucherNanos(db, 0)).toBe(55)
    const partsOf = (ledger: Ledger) => ({
      db,
      now: () => 1_000,
      guesses: { attempt: () => () => {} },
      topUp: async (operation: TopUpOperation) => await ledger.submit(operation),
    })
    const [one, other] = [partsOf(ledgers[0]), partsOf(ledgers[1])]
    let credited = 0
    for (const code of codes) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, at) =>
          redeemVoucher(at % 2 === 0 ? one : other, {
            code,
            account_id: at % 4 < 2 ? 1 : 2,
            address: undefined,
            source: 'page',
            by: undefined,
          }),
        ),
      )
      const made = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' && !outcome.value.again ? [outcome.value] : [],
      )
      expect(made).toHaveLength(1)
      credited += made[0]?.amount_nanos ?? 0
    }
    const [{ sum } = { sum: 0 }] = await db.rows<{ sum: number }>(
      'SELECT CAST(SUM(balance_nanos) AS BIGINT) AS sum FROM accounts',
    )
    expect([credited, Number(sum)]).toEqual([55, 55])
    expect(await unusedVoucherNanos(db, 0)).toBe(0)
    expect(
      await db.rows('SELECT subject_id FROM state_changes GROUP BY subject_id HAVING COUNT(*) > 1'),
    ).toEqual([])
    expect(await brokenIn(db)).toEqual([])
    await Promise.all([db.close(), ...ledgers.map((ledger) => ledger.close())])
    await dropDatabase(name)
  }, 60_000)
})
