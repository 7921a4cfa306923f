// `voucher`: created, listed, redeemed and revoked by commands; refusals.
import { beforeEach, describe, expect, test } from 'bun:test'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest()
const CODE = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}-[0-9A-HJKMNP-TV-Z]{2}[0-9A-HJKMNP-Z]$/
const balance = async () => (await scene.json('account', 'show', 'alice')).balance_usd
const states = async (): Promise<string[]> =>
  (await scene.json('voucher', 'list')).vouchers.map((row: { state: string }) => row.state)

beforeEach(async () => {
  await scene.run('account', 'create', 'alice')
  await scene.run('account', 'create', 'bob')
})

describe('create', () => {
  test('prints each code on a line, with a note that codes are shown only there', async () => {
    const { status, out, err } = await scene.run('voucher', 'create', '--usd', '10', '--count', '3')
    expect(status).toBe(0)
    const codes = out.split('\n')
    expect(codes).toHaveLength(3)
    for (const code of codes) expect(code).toMatch(CODE)
    expect(new Set(codes).size).toBe(3)
    expect(err).toBe('Batch 1: 3 vouchers of 10.00 USD. The codes are shown only here.')
  })

  test('prints CSV with amount and expiry', async () => {
    const { out } = await scene.run('voucher', 'create', '--usd', '0.50', '--expires', '90d', '--csv')
    const [head, line = ''] = out.split('\r\n')
    expect(head).toBe('code,amount_usd,expires_at')
    const [code = '', ...rest] = line.split(',')
    expect(code).toMatch(CODE)
    expect(rest).toEqual(['0.50', new Date(scene.now_ms + 90 * 86_400_000).toISOString()])
  })

  test('prints JSON', async () => {
    const made = await scene.json('voucher', 'create', '--usd', '10', '--note', 'fair')
    expect(made).toMatchObject({
      batch: 1,
      amount_usd: '10.00',
      expires_at: null,
      codes: [expect.stringMatching(CODE)],
    })
    expect((await scene.json('voucher', 'batches')).batches).toMatchObject([
      {
        id: 1,
        note: 'fair',
        vouchers: 1,
        unused: 1,
        redeemed: 0,
        total_usd: '10.00',
        unused_amount_usd: '10.00',
      },
    ])
  })

  test('is in the audit log, without a code', async () => {
    const { codes } = await scene.json('voucher', 'create', '--usd', '10', '--once-per-account')
    const log = await scene.json('audit-log')
    expect(log.actions[0]).toMatchObject({
      action: 'voucher.created',
      subject: '1',
      after: { vouchers: 1, amount_usd: '10.00', once_per_account: true },
    })
    expect(JSON.stringify(log)).not.toContain(codes[0].slice(0, 4))
  })

  test.each([
    ['no amount', []],
    ['an amount of 0', ['--usd', '0']],
    ['an amount above the maximum', ['--usd', '100001']],
    ['no vouchers', ['--usd', '1', '--count', '0']],
    ['too many vouchers', ['--usd', '1', '--count', '1001']],
    ['an expiry in the past', ['--usd', '1', '--expires', '2020-01-01']],
    ['a note of two lines', ['--usd', '1', '--note', 'a\nb']],
  ])('of %s is refused', async (_, args) => {
    const { status, out } = await scene.run('voucher', 'create', ...args)
    expect([status === 0, out]).toEqual([false, ''])
    expect(await states()).toEqual([])
  })
})

describe('redeem', () => {
  test('adds to the balance once, and reports a repetition', async () => {
    const [code] = (await scene.json('voucher', 'create', '--usd', '10')).codes
    expect((await scene.run('voucher', 'redeem', 'alice', code)).out).toBe(
      'Voucher 1: 10.00 USD added to alice: balance 10.00 USD.',
    )
    expect((await scene.run('voucher', 'redeem', 'alice', code)).out).toBe(
      'alice redeemed voucher 1 before. Nothing was added: balance 10.00 USD.',
    )
    expect(await scene.refusal('voucher', 'redeem', 'bob', code)).toContain('was redeemed already')
    expect(await balance()).toBe('10.00')
    expect((await scene.json('voucher', 'list', '--state', 'redeemed')).vouchers).toMatchObject([
      { id: 1, batch: 1, begins_with: code.slice(0, 4), account: 'alice' },
    ])
  })

  test.each([
    ['a code with a typing error', (code: string) => `${code.slice(0, -1)}${code.endsWith('3') ? '4' : '3'}`],
    ['an unknown code', () => 'gift'],
  ])('of %s is refused', async (_, typed) => {
    const [code] = (await scene.json('voucher', 'create', '--usd', '10')).codes
    await scene.refusal('voucher', 'redeem', 'alice', typed(code))
    expect(await states()).toEqual(['new'])
  })

  test('for an unknown account is refused', async () => {
    const [code] = (await scene.json('voucher', 'create', '--usd', '10')).codes
    expect(await scene.refusal('voucher', 'redeem', 'carl', code)).toContain('carl')
  })
})

describe('revoke', () => {
  test('revokes one voucher, and the rest of a batch', async () => {
    const { codes } = await scene.json('voucher', 'create', '--usd', '10', '--count', '4')
    await scene.run('voucher', 'redeem', 'alice', codes[3])
    expect((await scene.run('voucher', 'revoke', '1')).out).toBe('Voucher 1 revoked.')
    expect((await scene.run('voucher', 'revoke', '--batch', '1')).out).toBe('2 vouchers of batch 1 revoked.')
    expect(await states()).toEqual(['redeemed', 'revoked', 'revoked', 'revoked'])
    expect(await scene.refusal('voucher', 'redeem', 'alice', codes[0])).toContain('was revoked')
    expect(await balance()).toBe('10.00')
  })

  test.each([
    ['an unknown voucher', ['9'], 'Voucher not found'],
    ['a redeemed voucher', ['1'], 'Voucher 1 is redeemed already.'],
    ['an unknown batch', ['--batch', '9'], 'Batch not found'],
    ['a batch without unused vouchers', ['--batch', '1'], 'Batch 1 has no unused vouchers.'],
  ])('%s is refused', async (_, args, words) => {
    const [code] = (await scene.json('voucher', 'create', '--usd', '10')).codes
    await scene.run('voucher', 'redeem', 'alice', code)
    expect(await scene.refusal('voucher', 'revoke', ...args)).toContain(words)
  })

  test('is wrong usage with neither a voucher nor a batch, or with both', async () => {
    expect((await scene.run('voucher', 'revoke')).status).toBe(2)
    expect((await scene.run('voucher', 'revoke', '1', '--batch', '1')).status).toBe(2)
  })
})

test('the list shows an expired voucher as expired before the sweep marks it', async () => {
  await scene.run('voucher', 'create', '--usd', '10', '--expires', '1d')
  scene.now_ms += 86_400_000
  expect(await states()).toEqual(['expired'])
  expect((await scene.json('voucher', 'list', '--state', 'new')).vouchers).toEqual([])
  expect((await scene.json('voucher', 'batches')).batches).toMatchObject([
    { unused: 0, unused_amount_usd: '0.00' },
  ])
  expect((await scene.run('voucher', 'list')).out).toContain('expired')
})
