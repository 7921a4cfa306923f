// `account`, `credit` and `debit`: their effects, their output, and the fields of --json.
import { beforeEach, describe, expect, test } from 'bun:test'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createScene, NOW, sceneOfEachTest } from '../app/commands/scene.ts'
import { hold, post } from '../money/ledger/world.ts'

const scene = sceneOfEachTest()

describe('account', () => {
  test('create makes the database if the folder has none', async () => {
    using empty = createScene('nothing')
    expect((await empty.run('account', 'create', 'anna')).status).toBe(0)
    expect((await empty.run('account', 'list')).out).toContain('anna')
  })

  test('create prints the account: active, without money', async () => {
    expect(await scene.json('account', 'create', 'anna')).toEqual({
      id: 1,
      name: 'anna',
      status: 'active',
      suspension_reason: null,
      suspension_words: '',
      suspended_at: null,
      suspended_at_ms: null,
      price_group: null,
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

  test('list is an aligned table; without accounts, it says how to create one', async () => {
    expect((await scene.run('account', 'list')).out).toContain('`tollgate account create NAME` creates one')
    await scene.run('account', 'create', 'anna')
    await scene.run('credit', 'anna', '12.5')
    const [head, row] = (await scene.run('account', 'list')).out.split('\n')
    expect(head).toMatch(/^NAME +STATUS +BALANCE +HELD +DEBT +CREATED$/)
    expect(row).toMatch(/^anna +active +12\.50 +0\.00 +0\.00 +2026-11-21T12:00:00[+-]\d\d:\d\d$/)
  })

  test('change sets a display name, an email and a note, and show prints them', async () => {
    await scene.run('account', 'create', 'anna')
    const options = ['--display-name', 'Zoë & Co', '--email', 'zoe@example.com', '--note', 'pays late']
    const details = { display_name: 'Zoë & Co', email: 'zoe@example.com', note: 'pays late' }
    expect(await scene.json('account', 'change', 'anna', ...options)).toMatchObject({
      name: 'anna',
      ...details,
    })
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ ...details, keys_see_account: false })
    await scene.run('account', 'change', 'anna', '--keys-see', 'account', '--note', '')
    const { out } = await scene.run('account', 'show', 'anna')
    expect(out).toContain('display name  Zoë & Co')
    expect(out).toContain('limited keys  see all calls')
    expect(out).not.toContain('note')
  })

  test('limit sets and removes spend limits by period, and show prints them', async () => {
    await scene.run('account', 'create', 'anna')
    expect((await scene.run('account', 'limit', 'anna')).err).toContain('Nothing to change')
    await scene.run('account', 'limit', 'anna', '--limit-day', '5', '--limit-5h', '2')
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({
      spend_limits: [
        { period: '5h', limit_usd: '2.00', used_usd: '0.00', resets_at_ms: null, state: 'ok' },
        { period: 'day', limit_usd: '5.00', left_usd: '5.00', resets_at: '2026-11-22T00:00:00.000Z' },
      ],
    })
    const { out } = await scene.run('account', 'show', 'anna')
    expect(out).toMatch(/^limit 5h +0\.00 of 2\.00 USD used$/m)
    expect(out).toMatch(/^limit day +0\.00 of 5\.00 USD used, until 2026-11-2\dT/m)
    await scene.run('account', 'limit', 'anna', '--limit-5h', 'none', '--limit-day', 'none')
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ spend_limits: [] })
  })

  test.each([
    [[], 1, /give --display-name/],
    [['--email', 'nobody'], 1, /not an email address/],
    [['--display-name', 'a\u001b[31mb'], 1, /control character/],
    [['--keys-see', 'all'], 2, /Allowed choices are own, account/],
  ])('change %p is refused', async (options, status, words) => {
    await scene.run('account', 'create', 'anna')
    const ran = await scene.run('account', 'change', 'anna', ...options)
    expect([ran.status, ran.err]).toEqual([status, expect.stringMatching(words)])
  })

  test('suspend and resume set the status, and may be repeated', async () => {
    await scene.run('account', 'create', 'anna')
    const status = async (verb: string) => (await scene.json('account', verb, 'anna')).status
    expect([
      await status('suspend'),
      await status('suspend'),
      await status('resume'),
      await status('resume'),
    ]).toEqual(['suspended', 'suspended', 'active', 'active'])
  })

  test('show lists the keys, without their text', async () => {
    await scene.run('account', 'create', 'anna')
    const { key } = await scene.json('key', 'create', 'anna', '--name', 'phone')
    const { out } = await scene.run('account', 'show', 'anna')
    const { keys } = await scene.json('account', 'show', 'anna')
    expect(out).toContain(`phone (${key.slice(0, 10)}…)`)
    expect(keys).toMatchObject([{ name: 'phone', prefix: key.slice(0, 10), status: 'active' }])
    expect(out + JSON.stringify(keys)).not.toContain(key)
  })
})

describe('credit and debit', () => {
  beforeEach(async () => {
    await scene.run('account', 'create', 'anna')
  })

  test('are exact to the nano-dollar', async () => {
    await scene.run('credit', 'anna', '0.1')
    await scene.run('credit', 'anna', '0.2')
    await scene.run('debit', 'anna', '0.000000001')
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({
      balance_nanos: 299_999_999,
      balance_usd: '0.299999999',
    })
  })

  test('are entries of the ledger, with their note', async () => {
    await scene.run('credit', 'anna', '3', '--note', 'invoice 7')
    await scene.run('debit', 'anna', '1', '--note', 'refund of 7')
    const db = openDatabase(scene.path('tollgate.db'))
    const entries = db.query<{ line: string }, []>(
      "SELECT kind || ' ' || amount_nanos || ' ' || note AS line FROM entries",
    )
    expect(entries.all().map(({ line }) => line)).toEqual([
      'top_up 3000000000 invoice 7',
      'withdrawal -1000000000 refund of 7',
    ])
    db.close()
  })

  test('a debit never takes money held for a running call', async () => {
    await scene.run('credit', 'anna', '3')
    await scene.run('key', 'create', 'anna')
    const db = openDatabase(scene.path('tollgate.db'))
    createWriter(db).commit([hold(2_000_000_000)])
    db.close()
    const refused = await scene.run('debit', 'anna', '1.01')
    expect(refused.status).toBe(1)
    expect(refused.err).toContain('Not enough available balance')
    expect((await scene.json('debit', 'anna', '1')).available_nanos).toBe(0)
  })

  test('a reference works once in an account, and its second use shows the first', async () => {
    await scene.run('account', 'create', 'anna')
    await scene.run('account', 'create', 'ben')
    const used = ['--note', 'paid', '--reference', 'invoice 17']
    expect((await scene.run('credit', 'anna', '3', ...used)).status).toBe(0)
    for (const again of [
      ['credit', 'anna', '3', ...used],
      ['credit', 'anna', '4', '--reference', 'invoice 17'],
      ['debit', 'anna', '1', '--reference', 'invoice 17'],
    ]) {
      const { status, err } = await scene.run(...again)
      expect(status).toBe(1)
      expect(err).toMatch(
        /This reference was used before: 3\.00 USD added to anna at \S+Z, note "paid"\. Nothing was added or taken\./,
      )
    }
    expect((await scene.run('credit', 'ben', '3', ...used)).status).toBe(0)
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ balance_usd: '3.00' })
  })

  test.each(['', ' ', 'gr\u00fcn', 'two\nlines', 'x'.repeat(256), 'order:12', 'voucher-batch:3'])(
    'the reference %p is refused',
    async (reference) => {
      await scene.run('account', 'create', 'anna')
      const { status, err } = await scene.run('credit', 'anna', '3', '--reference', reference)
      expect(status).not.toBe(0)
      expect(err).toContain('--reference: must be 1 to 255 printable ASCII characters')
    },
  )

  test('a credit pays debt first, and prints the remaining debt', async () => {
    await scene.run('key', 'create', 'anna')
    const db = openDatabase(scene.path('tollgate.db'))
    const writer = createWriter(db)
    writer.commit([hold(0)])
    writer.commit([post(1, 5_000_000_000)])
    db.close()
    expect((await scene.run('credit', 'anna', '2')).out).toBe(
      '2.00 USD added to anna: balance 0.00 USD, debt 3.00 USD.',
    )
    expect(await scene.json('credit', 'anna', '4')).toMatchObject({
      balance_nanos: 1_000_000_000,
      debt_nanos: 0,
    })
    expect((await scene.run('audit')).status).toBe(0)
  })

  test('work for a suspended account', async () => {
    await scene.run('account', 'suspend', 'anna')
    expect((await scene.run('credit', 'anna', '2')).status).toBe(0)
  })
})
