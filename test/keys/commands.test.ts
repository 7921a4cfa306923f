// `key`: the text of a key is printed once, at its creation, and appears nowhere else.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { KEY_PATTERN } from '../../src/access/secret.ts'
import { NOW, sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'anna')
})

describe('a new key', () => {
  test('is the only text on standard output, for scripts', async () => {
    const { out, err } = await scene.run('key', 'create', 'anna')
    expect(out).toMatch(KEY_PATTERN)
    expect(err).toContain('shown only once')
    expect(err).not.toContain(out)
  })

  test('is in no other output and in no file', async () => {
    const text = (await scene.run('key', 'create', 'anna')).out
    const commands = [
      ['key', 'list'],
      ['account', 'show', 'anna'],
      ['usage'],
      ['audit'],
      ['key', 'revoke', '1'],
    ]
    for (const command of commands) {
      for (const form of [[], ['--json']]) {
        const { out, err } = await scene.run(...command, ...form)
        expect(out + err).not.toContain(text)
        expect(out).not.toContain('sha256')
      }
    }
    for (const file of readdirSync(scene.dir)) {
      expect(readFileSync(scene.path(file)).includes(text)).toBeFalse()
    }
  })

  test('has the limits of its options', async () => {
    const options = [
      '--name',
      'phone',
      '--models',
      'sim-*, sim-pro',
      '--spend-limit',
      '2.5',
      '--limit-day',
      '0.5',
      '--limit-month',
      '2',
      '--concurrent-calls',
      '4',
      '--expires',
      '30d',
    ]
    expect(
      await scene.json('key', 'create', 'anna', ...options, '--addresses', '10.0.0.0/8,2001:db8::/32'),
    ).toMatchObject({
      account: 'anna',
      name: 'phone',
      status: 'active',
      models: ['sim-*', 'sim-pro'],
      spend_limit_nanos: 2_500_000_000,
      spend_limit_usd: '2.50',
      daily_limit_usd: '0.50',
      monthly_limit_usd: '2.00',
      concurrent_calls: 4,
      spend_limits: [
        { period: 'day', limit_usd: '0.50', used_usd: '0.00', state: 'ok' },
        { period: 'month', limit_usd: '2.00', left_usd: '2.00', state: 'ok' },
        { period: 'total', limit_usd: '2.50', resets_at: null, state: 'ok' },
      ],
      addresses: ['10.0.0.0/8', '2001:db8::/32'],
      expires_at_ms: NOW + 30 * 86_400_000,
    })
  })

  test('with an expiry date works until the end of that day', async () => {
    const { expires_at_ms } = await scene.json('key', 'create', 'anna', '--expires', '2026-11-21')
    expect(expires_at_ms).toBe(new Date(2026, 10, 22).getTime())
  })

  test('without options has a numbered name and no limits', async () => {
    await scene.run('key', 'create', 'anna')
    expect(await scene.json('key', 'create', 'anna')).toMatchObject({
      name: 'key-2',
      models: null,
      spend_limit_nanos: null,
      spend_limit_usd: null,
      addresses: null,
      expires_at_ms: null,
      expires_at: null,
    })
  })

  test('for a model that the catalogue lacks is created with a warning', async () => {
    const { status, err } = await scene.run('key', 'create', 'anna', '--models', 'sim-*,gtp-5')
    expect(status).toBe(0)
    expect(err).toContain('warning: no model of the catalogue matches gtp-5')
    expect(err).not.toContain('matches sim-*')
  })
})

describe('key list', () => {
  test('shows the current status of each key', async () => {
    await scene.run('key', 'create', 'anna', '--name', 'good')
    await scene.run('key', 'create', 'anna', '--name', 'gone')
    await scene.run('key', 'create', 'anna', '--name', 'late', '--expires', '1h')
    await scene.run('key', 'create', 'anna', '--name', 'turned')
    await scene.run('key', 'revoke', '2')
    await scene.run('key', 'rotate', '4', '--grace', '3h')
    const statuses = async () =>
      (await scene.json('key', 'list')).keys.map(
        (key: { name: string; status: string }) => `${key.name} ${key.status}`,
      )
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late active',
      'turned retiring',
      'turned active',
    ])
    scene.now_ms += 3_600_000
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late expired',
      'turned retiring',
      'turned active',
    ])
    scene.now_ms += 7_200_000
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late expired',
      'turned revoked',
      'turned active',
    ])
  })

  test('for one account has only its keys', async () => {
    await scene.run('account', 'create', 'bert')
    await scene.run('key', 'create', 'anna')
    await scene.run('key', 'create', 'bert')
    expect((await scene.json('key', 'list', 'bert')).keys).toMatchObject([{ account: 'bert' }])
    expect((await scene.json('key', 'list')).keys).toHaveLength(2)
  })
})

describe('key change', () => {
  test('changes the fields of its options, and keeps the others and the text', async () => {
    const { prefix } = await scene.json('key', 'create', 'anna', '--models', 'sim-*', '--spend-limit', '1')
    const options = [
      '--name',
      'desk',
      '--spend-limit',
      '2.5',
      '--expires',
      '30d',
      '--addresses',
      '10.0.0.0/8',
    ]
    expect(await scene.json('key', 'change', prefix, ...options)).toMatchObject({
      id: 1,
      name: 'desk',
      prefix,
      models: ['sim-*'],
      spend_limit_usd: '2.50',
      expires_at_ms: NOW + 30 * 86_400_000,
      addresses: ['10.0.0.0/8'],
    })
  })

  test('removes a limit by a word', async () => {
    const limits = '--models sim-* --spend-limit 1 --limit-day 1 --limit-month 1 --concurrent-calls 2'
    const others = '--expires 30d --addresses 10.0.0.0/8'
    await scene.run('key', 'create', 'anna', ...limits.split(' '), ...others.split(' '))
    const none = '--models all --spend-limit none --limit-day none --limit-month none --concurrent-calls any'
    const no_others = '--expires never --addresses anywhere'
    expect(await scene.json('key', 'change', '1', ...none.split(' '), ...no_others.split(' '))).toMatchObject(
      {
        models: null,
        spend_limit_nanos: null,
        daily_limit_nanos: null,
        monthly_limit_nanos: null,
        concurrent_calls: null,
        spend_limits: [],
        expires_at_ms: null,
        addresses: null,
      },
    )
  })

  test.each([
    ['--daily-limit', '1'],
    ['--monthly-limit', '1'],
    ['--limit-day', '-1'],
    ['--limit-day', 'much'],
    ['--limit-month', '1e3'],
    ['--limit-month', ''],
    ['--concurrent-calls', '0'],
    ['--concurrent-calls', '1.5'],
    ['--concurrent-calls', 'none'],
  ])('refuses %s %p as wrong usage, and changes nothing', async (option, value) => {
    await scene.run('key', 'create', 'anna')
    const before = await scene.json('key', 'list')
    expect((await scene.run('key', 'change', '1', option, value)).status).toBe(2)
    expect(await scene.json('key', 'list')).toEqual(before)
  })
})

describe('key revoke and rotate', () => {
  test('accept the prefix that `key list` shows, or the number', async () => {
    const { prefix } = await scene.json('key', 'create', 'anna')
    expect(await scene.json('key', 'revoke', prefix)).toMatchObject({
      id: 1,
      status: 'revoked',
      revoked_at_ms: NOW,
    })
    expect((await scene.run('key', 'revoke', '1')).status).toBe(0)
  })

  test('rotate creates a key with the same settings, and revokes the old one at once', async () => {
    const old = await scene.json('key', 'create', 'anna', '--name', 'phone', '--models', 'sim-*')
    const { out, err } = await scene.run('key', 'rotate', '1')
    expect(out).toMatch(KEY_PATTERN)
    expect(out).not.toBe(old.key)
    expect(err).toContain('The old key is revoked.')
    expect((await scene.json('key', 'list')).keys).toMatchObject([
      { name: 'phone', status: 'revoked' },
      { name: 'phone', status: 'active', models: ['sim-*'] },
    ])
  })

  test('rotate --grace keeps the old key for that time', async () => {
    await scene.run('key', 'create', 'anna')
    const { err } = await scene.run('key', 'rotate', '1', '--grace', '1h')
    expect(err).toContain('The old key works until 2026-11-21T13:00:00')
    expect((await scene.json('key', 'list')).keys[0].revoked_at_ms).toBe(NOW + 3_600_000)
  })
})
