// `account`, `credit` and `debit`: what is done, what is shown, and what --json promises to programs.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { hold, post } from '../ledger/world.ts'
import { createWorld, NOW, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.remove())

describe('account', () => {
  test('create, where the folder has no database yet, makes it', async () => {
    const empty = createWorld('nothing')
    expect((await empty.run('account', 'create', 'anna')).status).toBe(0)
    expect((await empty.run('account', 'list')).out).toContain('anna')
    empty.remove()
  })

  test('create answers with the account: active, with no money', async () => {
    expect(await world.json('account', 'create', 'anna')).toEqual({
      id: 1,
      name: 'anna',
      status: 'active',
      balance_nanos: 0,
      balance_usd: '0.00',
      held_nanos: 0,
      held_usd: '0.00',
      available_nanos: 0,
      available_usd: '0.00',
      debt_nanos: 0,
      debt_usd: '0.00',
      created_at_ms: NOW,
      created_at: new Date(NOW).toISOString(),
    })
  })

  test('list is an aligned table; with none, it says how to make one', async () => {
    expect((await world.run('account', 'list')).out).toContain('`tollgate account create NAME` makes one')
    await world.run('account', 'create', 'anna')
    await world.run('credit', 'anna', '12.5')
    const [head, row] = (await world.run('account', 'list')).out.split('\n')
    expect(head).toMatch(/^NAME +STATUS +BALANCE +HELD +DEBT +CREATED$/)
    expect(row).toMatch(/^anna +active +12\.50 +0\.00 +0\.00 +2026-11-21T12:00:00[+-]\d\d:\d\d$/)
  })

  test('suspend and resume change the status, as often as they are said', async () => {
    await world.run('account', 'create', 'anna')
    const status = async (verb: string) => (await world.json('account', verb, 'anna')).status
    expect([
      await status('suspend'),
      await status('suspend'),
      await status('resume'),
      await status('resume'),
    ]).toEqual(['suspended', 'suspended', 'active', 'active'])
  })

  test('show has the keys, never their text', async () => {
    await world.run('account', 'create', 'anna')
    const { key } = await world.json('key', 'create', 'anna', '--name', 'phone')
    const shown = await world.run('account', 'show', 'anna')
    const { keys } = await world.json('account', 'show', 'anna')
    expect(shown.out).toContain(`phone (${key.slice(0, 10)}…)`)
    expect(keys).toMatchObject([{ name: 'phone', prefix: key.slice(0, 10), status: 'active' }])
    expect(shown.out + JSON.stringify(keys)).not.toContain(key)
  })
})

describe('credit and debit', () => {
  beforeEach(async () => {
    await world.run('account', 'create', 'anna')
  })

  test('to the nano-dollar', async () => {
    await world.run('credit', 'anna', '0.1')
    await world.run('credit', 'anna', '0.2')
    await world.run('debit', 'anna', '0.000000001')
    expect(await world.json('account', 'show', 'anna')).toMatchObject({
      balance_nanos: 299_999_999,
      balance_usd: '0.299999999',
    })
  })

  test('are entries with their note', async () => {
    await world.run('credit', 'anna', '3', '--note', 'invoice 7')
    await world.run('debit', 'anna', '1', '--note', 'refund of 7')
    const db = openDatabase(world.path('tollgate.db'))
    const entries = db.query<{ line: string }, []>(
      "SELECT kind || ' ' || amount_nanos || ' ' || note AS line FROM entries",
    )
    expect(entries.all().map(({ line }) => line)).toEqual([
      'top_up 3000000000 invoice 7',
      'withdrawal -1000000000 refund of 7',
    ])
    db.close()
  })

  test('a debit takes nothing that a call under way holds', async () => {
    await world.run('credit', 'anna', '3')
    await world.run('key', 'create', 'anna')
    const db = openDatabase(world.path('tollgate.db'))
    createWriter(db).commit([hold(2_000_000_000)])
    db.close()
    const refused = await world.run('debit', 'anna', '1.01')
    expect(refused.status).toBe(1)
    expect(refused.err).toContain('has less than that free')
    expect((await world.json('debit', 'anna', '1')).available_nanos).toBe(0)
  })

  test('a credit pays what is owed first, and says what is still owed', async () => {
    await world.run('key', 'create', 'anna')
    const db = openDatabase(world.path('tollgate.db'))
    const writer = createWriter(db)
    writer.commit([hold(0)])
    writer.commit([post(1, 5_000_000_000)])
    db.close()
    expect((await world.run('credit', 'anna', '2')).out).toBe(
      '2.00 USD added to anna: balance 0.00 USD, debt 3.00 USD.',
    )
    expect(await world.json('credit', 'anna', '4')).toMatchObject({
      balance_nanos: 1_000_000_000,
      debt_nanos: 0,
    })
    expect((await world.run('audit')).status).toBe(0)
  })

  test('to a suspended account are taken: it is its calls that are refused', async () => {
    await world.run('account', 'suspend', 'anna')
    expect((await world.run('credit', 'anna', '2')).status).toBe(0)
  })
})
