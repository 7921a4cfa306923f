// The redeeming of vouchers over real sockets: credits, refusals with their messages, and roles.
import { beforeAll, describe, expect, test } from 'bun:test'
import { errorOf, signedIn } from '../support/console-session.ts'
import { DAY_MS, redeem, USD, voucherScene } from './scene.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const scene = await voucherScene(['anna', 'bert', 'carl'], { now: () => NOW })
const { gateway, operator, create, balance, one } = scene
const anna = await scene.owner('anna')
const bert = await scene.owner('bert')
const key = await gateway.key('anna')

const byApi = (code: string, sent: string | undefined = key) =>
  gateway.call('/api/v1/vouchers/redeem', { code }, { key: sent })
const entriesOf = (name: string) =>
  gateway.store.rows<{ note: string; amount_nanos: number; request_key: string }>(
    `SELECT note, amount_nanos, request_key FROM entries WHERE account_id = (SELECT id FROM accounts WHERE name = '${name}') ORDER BY id`,
  )

describe('a voucher', () => {
  test('is redeemed at the console, with its credit, its mark and its line in the log', async () => {
    const { codes, batch } = await create({ amount: '12.50' })
    const [code = ''] = codes
    const answer = await redeem(anna, code.toLowerCase())
    expect(answer.status).toBe(200)
    const { voucher, ...view } = (await answer.json()) as { voucher: number }
    expect(view).toMatchObject({ amount_usd: '12.50', balance_nanos: 12.5 * USD, again: false })
    expect(await entriesOf('anna')).toEqual([
      { note: `Voucher ${voucher}`, amount_nanos: 12.5 * USD, request_key: `voucher:${voucher}` },
    ])
    expect(await one(`SELECT state, account_id, batch_id FROM vouchers WHERE id = ${voucher}`)).toEqual({
      state: 'redeemed',
      account_id: (await gateway.store.rows<{ id: number }>("SELECT id FROM accounts WHERE name = 'anna'"))[0]
        ?.id,
      batch_id: batch,
    })
    expect(
      await one(`SELECT from_state, to_state, source FROM state_changes WHERE subject = 'vouchers'`),
    ).toEqual({ from_state: 'new', to_state: 'redeemed', source: 'page' })
    const { actions } = await anna.json('GET', '/audit-log')
    expect(actions[0]).toMatchObject({
      action: 'balance.topped_up',
      by: 'account',
      after: { amount_usd: '12.50', note: `Voucher ${voucher}` },
    })
  })

  test('is redeemed by the API, and a repeated request gets the same answer without a credit', async () => {
    const before = await balance('anna')
    const code = await scene.code({ amount: '3' })
    const first = await byApi(code)
    expect(first.status).toBe(200)
    const view = (await first.json()) as object
    expect(view).toMatchObject({ amount_nanos: 3 * USD, balance_nanos: before + 3 * USD, again: false })
    expect(await (await byApi(code)).json()).toEqual({ ...view, again: true })
    expect(await (await redeem(anna, code)).json()).toEqual({ ...view, again: true })
    expect(await balance('anna')).toBe(before + 3 * USD)
    expect(
      await one(
        `SELECT source, detail FROM state_changes WHERE subject = 'vouchers' ORDER BY id DESC LIMIT 1`,
      ),
    ).toEqual({ source: 'api', detail: JSON.stringify({ key: key.slice(0, 10) }) })
  })

  test('pays debt first', async () => {
    await gateway.store.write((db) =>
      db.rows("UPDATE accounts SET debt_nanos = 4000000000 WHERE name = 'carl'"),
    )
    const answer = await redeem(operator, await scene.code({ amount: '10' }), { account: 'carl' })
    expect(await answer.json()).toMatchObject({ balance_nanos: 6 * USD })
  })

  test('is neither in the database nor in the log', async () => {
    const code = await scene.code()
    const plain = code.replaceAll('-', '')
    await redeem(anna, code)
    const tables = await gateway.store.rows<{ line: string }>(
      `SELECT hint || detail || after AS line FROM vouchers, state_changes, actions`,
    )
    const text = JSON.stringify(tables) + JSON.stringify(gateway.log)
    expect(text).toContain(plain.slice(0, 4))
    for (const part of [code, plain, plain.slice(4, 12)]) expect(text).not.toContain(part)
  })
})

describe('refusals', () => {
  const used = { redeemed: '', revoked: '', expired: '', once: ['', ''] as string[] }
  beforeAll(async () => {
    used.redeemed = await scene.code()
    await redeem(bert, used.redeemed)
    const revoked = await create()
    used.revoked = revoked.codes[0] ?? ''
    await operator.json('DELETE', `/voucher-batches/${revoked.batch}`)
    const expired = await create({ days: 1 })
    used.expired = expired.codes[0] ?? ''
    await gateway.store.write((db) =>
      db.rows(`UPDATE vouchers SET expires_at_ms = ${NOW} WHERE batch_id = ${expired.batch}`),
    )
    used.once = (await create({ count: 2, once_per_account: true })).codes
    await redeem(anna, used.once[0] ?? '')
  })

  const CASES: [string, () => string, object][] = [
    [
      'a code with a typing error',
      () => `${used.redeemed.slice(0, -1)}${used.redeemed.endsWith('7') ? '8' : '7'}`,
      { status: 400, code: 'voucher_mistyped', param: 'code' },
    ],
    [
      'a voucher that another account redeemed',
      () => used.redeemed,
      {
        status: 409,
        code: 'voucher_redeemed',
        message: 'This voucher was redeemed already. Each voucher works once.',
      },
    ],
    ['a revoked voucher', () => used.revoked, { status: 409, code: 'voucher_revoked' }],
    [
      'an expired voucher before the sweep',
      () => used.expired,
      {
        status: 409,
        code: 'voucher_expired',
        message: 'This voucher expired on 2026-11-21. Ask the person who gave it to you for another one.',
      },
    ],
    [
      'a second voucher of a once-per-account batch',
      () => used.once[1] ?? '',
      { status: 409, code: 'voucher_once_per_account' },
    ],
  ]
  test.each(CASES)('%s is refused at the console and by the API', async (_, code, refusal) => {
    const before = await balance('anna')
    const client = await signedIn(gateway, { account: 'anna' }, NOW)
    expect(await errorOf(await redeem(client, code()))).toMatchObject(refusal)
    expect(await errorOf(await byApi(code()))).toMatchObject(refusal)
    expect(await balance('anna')).toBe(before)
  })

  const UNKNOWN: [string, string][] = [
    ['an unknown code', `${'0'.repeat(26)}0`],
    ['a text that is too short', '123'],
    ['a text that is too long', 'A'.repeat(200)],
    ['a code of another gateway', '0123456789abcdef0123456789abcdef'],
    ['spaces', '   '],
    ['SQL', "' OR 1=1 --"],
    ['other letters', 'ваучер'],
  ]
  test.each(UNKNOWN)('%s is refused with the same message', async (what, code) => {
    const other = await gateway.account(what.replaceAll(/\W/g, '-'))
    const client = await signedIn(gateway, { account: other.name }, NOW)
    expect(await errorOf(await redeem(client, code))).toMatchObject({
      status: 404,
      code: 'voucher_unknown',
      param: 'code',
      message: 'No voucher has this code. Check it, and enter all of it.',
    })
  })

  test.each([
    ['no code', {}, 400],
    ['a code that is not a text', { code: 7 }, 400],
    ['an empty code', { code: '' }, 400],
    ['an unknown field', { code: 'a', amount: '5' }, 400],
    ['201 characters', { code: 'a'.repeat(201) }, 400],
  ])('%s is refused', async (_, body, status) => {
    const answer = await gateway.call('/api/v1/vouchers/redeem', body, { key })
    expect(answer.status).toBe(status)
  })

  test('the sweep marks an expired voucher, with its change', async () => {
    const { expireVouchers } = await import('../../plugins/vouchers/ending.ts')
    const codes = await create({ count: 3, days: 2 })
    await expireVouchers(gateway.store, NOW + 2 * DAY_MS - 1)
    const states = () =>
      gateway.store.rows<{ state: string; count: number }>(
        `SELECT state, COUNT(*) AS count FROM vouchers WHERE batch_id = ${codes.batch} GROUP BY state`,
      )
    expect(await states()).toEqual([{ state: 'new', count: 3 }])
    await expireVouchers(gateway.store, NOW + 2 * DAY_MS)
    expect(await states()).toEqual([{ state: 'expired', count: 3 }])
    expect(
      await one<object>(
        `SELECT COUNT(*) AS count FROM state_changes WHERE subject = 'vouchers' AND to_state = 'expired' AND source = 'system'
          AND subject_id IN (SELECT id FROM vouchers WHERE batch_id = ${codes.batch})`,
      ),
    ).toEqual({ count: 3 })
  })
})

describe('roles that redeem', () => {
  test.each([
    ['owner', 200],
    ['billing', 200],
    ['member', 403],
  ] as const)('%s of an account: %d', async (role, status) => {
    const client = await signedIn(gateway, { account: 'carl', role }, NOW)
    const before = await balance('carl')
    expect((await redeem(client, await scene.code({ amount: '1' }))).status).toBe(status)
    expect((await balance('carl')) - before).toBe(status === 200 ? USD : 0)
  })

  test.each([
    ['support', 403],
    ['auditor', 403],
  ] as const)('%s of the staff: %d', async (staff, status) => {
    const client = await signedIn(gateway, { staff }, NOW)
    expect((await redeem(client, await scene.code(), { account: 'carl' })).status).toBe(status)
  })

  test('the operator has to name the account', async () => {
    expect(await errorOf(await redeem(operator, await scene.code()))).toMatchObject({
      status: 400,
      param: 'account',
    })
  })

  test('an account may not name another one', async () => {
    expect((await redeem(anna, await scene.code(), { account: 'bert' })).status).toBe(404)
  })

  test('a session by key may not redeem', async () => {
    const client = await signedIn(gateway, { key }, NOW)
    expect((await redeem(client, await scene.code())).status).toBe(403)
  })

  test.each([
    ['with a spend limit', { spend_limit_nanos: USD }],
    ['for some models', { models: ['test-*'] }],
    ['of some networks', { addresses: ['127.0.0.0/8'] }],
  ])('an API key %s may not redeem', async (_, settings) => {
    const limited = await gateway.key('carl', settings)
    expect(await errorOf(await byApi(await scene.code(), limited))).toMatchObject({
      status: 403,
      code: 'key_may_not',
    })
  })

  test('a request without a key is refused', async () => {
    expect((await byApi('x', '')).status).toBe(401)
  })
})
