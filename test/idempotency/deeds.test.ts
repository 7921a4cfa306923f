// Movements of money by the operator: each is done once, at once, again, at the same time, and across a crash.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createDeeds, type Deed } from '../../src/idempotency/deeds.ts'
import { createKeptAnswers } from '../../src/idempotency/kept-answers.ts'
import type { ContentFiles } from '../../src/kept/content.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { Ledger } from '../../src/ledger/operations.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

const LIMITS = { kept_bytes: 1e6, kept_bytes_per_account: 1e6, keys_per_account: 2 }
const clock = { now_ms: 1_800_000_000_000 }
const now = () => clock.now_ms

let gateway: TestGateway
let ledger: Ledger
let named = 0
beforeAll(async () => {
  gateway = await startTestGateway({ now })
  ledger = await openLedger({ path: `${gateway.data_folder}/tollgate.db`, writer: 'inline' })
})
afterAll(async () => {
  await ledger.close()
  await gateway.stop()
})

const NO_FILES: ContentFiles = {
  list: async () => [],
  remove: async () => true,
  removeLeftovers: nothing,
  put: nothing,
  open: nothing,
}
function nothing(): never {
  throw new Error('deeds have no files')
}

/** Deeds as a process has them that has just started. */
const started = () =>
  createDeeds(gateway.db, createKeptAnswers(gateway.db, NO_FILES, { now, limits: () => LIMITS }))

async function account(): Promise<number> {
  named += 1
  return (await gateway.account(`deeds-${named}`)).id
}

const topUp = (account_id: number, id: string, change: Partial<Deed> = {}): Deed => ({
  account_id,
  id,
  kind: 'top_up',
  amount_nanos: 10,
  note: '',
  request_id: 'req_1',
  ...change,
})
const submit = ({ account_id, amount_nanos, note }: Deed) => {
  return (now_ms: number) => ledger.submit({ op: 'top_up', account_id, amount_nanos, note, now_ms })
}
const balanceOf = (id: number) => gateway.rows().accounts.find((row) => row.id === id)?.balance_nanos

test('sent again it is not done again, by the same process or by the next', async () => {
  const id = await account()
  const deeds = started()
  const deed = topUp(id, 'deed-0001')
  expect(await deeds.once(deed, submit(deed))).toMatchObject({ ok: true, balance_nanos: 10 })
  expect(await deeds.once(deed, submit(deed))).toBeUndefined()
  expect(await started().once(deed, submit(deed))).toBeUndefined()
  expect(balanceOf(id)).toBe(10)
})

test('twenty at the same moment are done once', async () => {
  const id = await account()
  const deeds = started()
  const deed = topUp(id, 'deed-0001')
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => deeds.once(deed, submit(deed))))
  expect(outcomes.filter(Boolean)).toHaveLength(1)
  expect(balanceOf(id)).toBe(10)
})

test('different deeds of the same content in the same millisecond are all done', async () => {
  const id = await account()
  const deeds = started()
  const ticking = setInterval(() => {
    clock.now_ms += 1
  }, 1)
  await Promise.all(
    Array.from({ length: 5 }, (_, at) => {
      const deed = topUp(id, `deed-000${at}`)
      return deeds.once(deed, submit(deed))
    }),
  )
  clearInterval(ticking)
  expect(balanceOf(id)).toBe(50)
  for (let at = 0; at < 5; at += 1) {
    const deed = topUp(id, `deed-000${at}`)
    expect(await started().once(deed, submit(deed))).toBeUndefined()
  }
})

describe('a process that dies', () => {
  test('before the entry: the same deed is done by the next', async () => {
    const id = await account()
    const deed = topUp(id, 'deed-0001')
    const died = started().once(deed, () => Promise.reject(new Error('killed')))
    expect(await died.catch(String)).toContain('killed')
    expect(balanceOf(id)).toBe(0)
    clock.now_ms += 5_000
    expect(await started().once(deed, submit(deed))).toMatchObject({ ok: true })
    expect(balanceOf(id)).toBe(10)
  })

  test('after the entry, before its answer: it is not done again', async () => {
    const id = await account()
    const deed = topUp(id, 'deed-0001')
    const died = started().once(deed, async (at_ms) => {
      await submit(deed)(at_ms)
      throw new Error('killed')
    })
    expect(await died.catch(String)).toContain('killed')
    clock.now_ms += 5_000
    expect(await started().once(deed, submit(deed))).toBeUndefined()
    expect(balanceOf(id)).toBe(10)
  })
})

test('an id stands for one deed', async () => {
  const id = await account()
  const deeds = started()
  const deed = topUp(id, 'deed-0001')
  await deeds.once(deed, submit(deed))
  for (const change of [{ amount_nanos: 11 }, { note: 'x' }, { kind: 'withdrawal' as const }]) {
    const other = topUp(id, 'deed-0001', change)
    expect(deeds.once(other, submit(other))).rejects.toThrow(/another movement/)
  }
  const of_other = topUp(await account(), 'deed-0001')
  expect(await deeds.once(of_other, submit(of_other))).toMatchObject({ ok: true })
})

test('one that was refused may be sent again', async () => {
  const id = await account()
  const deeds = started()
  const deed = topUp(id, 'deed-0001', { kind: 'withdrawal', amount_nanos: -10 })
  const take = (now_ms: number) =>
    ledger.submit({ op: 'withdraw', account_id: id, amount_nanos: 10, note: '', now_ms })
  expect(await deeds.once(deed, take)).toEqual({ ok: false, refusal: 'insufficient_balance' })
  await gateway.topUp(id, '1')
  expect(await deeds.once(deed, take)).toMatchObject({ ok: true })
  expect(await deeds.once(deed, take)).toBeUndefined()
})

test('the deeds of an account do not make it forget its Idempotency-Keys', async () => {
  const id = await account()
  const deeds = started()
  for (let at = 0; at < 5; at += 1) {
    clock.now_ms += 1
    const deed = topUp(id, `deed-000${at}`)
    await deeds.once(deed, submit(deed))
  }
  const kept = gateway.db.query('SELECT key FROM idempotency_keys WHERE account_id = ?').all(id)
  expect(kept).toHaveLength(5)
})
