// `key`: a key's text is shown once, when it is made, and nowhere else.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { KEY_PATTERN } from '../../src/access/secret.ts'
import { createWorld, NOW, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = createWorld()
  await world.run('account', 'create', 'anna')
})
afterEach(() => world.remove())

describe('a key that is made', () => {
  test('is alone on standard output, so that a script can take it', async () => {
    const { out, err } = await world.run('key', 'create', 'anna')
    expect(out).toMatch(KEY_PATTERN)
    expect(err).toContain('shown only now')
    expect(err).not.toContain(out)
  })

  test('is in no other answer, and in no file', async () => {
    const text = (await world.run('key', 'create', 'anna')).out
    const commands = [
      ['key', 'list'],
      ['account', 'show', 'anna'],
      ['usage'],
      ['audit'],
      ['key', 'revoke', '1'],
    ]
    for (const command of commands) {
      for (const form of [[], ['--json']]) {
        const { out, err } = await world.run(...command, ...form)
        expect(out + err).not.toContain(text)
        expect(out).not.toContain('sha256')
      }
    }
    for (const file of readdirSync(world.dir)) {
      expect(readFileSync(world.path(file)).includes(text)).toBeFalse()
    }
  })

  test('is limited as asked', async () => {
    const options = [
      '--name',
      'phone',
      '--models',
      'sim-*, sim-pro',
      '--spend-limit',
      '2.5',
      '--expires',
      '30d',
    ]
    expect(
      await world.json('key', 'create', 'anna', ...options, '--addresses', '10.0.0.0/8,2001:db8::/32'),
    ).toMatchObject({
      account: 'anna',
      name: 'phone',
      status: 'active',
      models: ['sim-*', 'sim-pro'],
      spend_limit_nanos: 2_500_000_000,
      spend_limit_usd: '2.50',
      addresses: ['10.0.0.0/8', '2001:db8::/32'],
      expires_at_ms: NOW + 30 * 86_400_000,
    })
  })

  test('with a date works through that day', async () => {
    const { expires_at_ms } = await world.json('key', 'create', 'anna', '--expires', '2026-11-21')
    expect(expires_at_ms).toBe(new Date(2026, 10, 22).getTime())
  })

  test('without a limit has none, and a number for a name', async () => {
    await world.run('key', 'create', 'anna')
    expect(await world.json('key', 'create', 'anna')).toMatchObject({
      name: 'key-2',
      models: null,
      spend_limit_nanos: null,
      spend_limit_usd: null,
      addresses: null,
      expires_at_ms: null,
      expires_at: null,
    })
  })

  test('for a model that the catalogue does not have brings a warning, and is made', async () => {
    const { status, err } = await world.run('key', 'create', 'anna', '--models', 'sim-*,gtp-5')
    expect(status).toBe(0)
    expect(err).toContain('warning: no model of the catalogue is named gtp-5')
    expect(err).not.toContain('named sim-*')
  })
})

describe('key list', () => {
  test('says what became of each key as of now', async () => {
    await world.run('key', 'create', 'anna', '--name', 'good')
    await world.run('key', 'create', 'anna', '--name', 'gone')
    await world.run('key', 'create', 'anna', '--name', 'late', '--expires', '1h')
    await world.run('key', 'create', 'anna', '--name', 'turned')
    await world.run('key', 'revoke', '2')
    await world.run('key', 'rotate', '4', '--grace', '3h')
    const statuses = async () =>
      (await world.json('key', 'list')).keys.map(
        (key: { name: string; status: string }) => `${key.name} ${key.status}`,
      )
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late active',
      'turned retiring',
      'turned active',
    ])
    world.now_ms += 3_600_000
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late expired',
      'turned retiring',
      'turned active',
    ])
    world.now_ms += 7_200_000
    expect(await statuses()).toEqual([
      'good active',
      'gone revoked',
      'late expired',
      'turned revoked',
      'turned active',
    ])
  })

  test('of one account has no other key', async () => {
    await world.run('account', 'create', 'bert')
    await world.run('key', 'create', 'anna')
    await world.run('key', 'create', 'bert')
    expect((await world.json('key', 'list', 'bert')).keys).toMatchObject([{ account: 'bert' }])
    expect((await world.json('key', 'list')).keys).toHaveLength(2)
  })
})

describe('key revoke and rotate', () => {
  test('take the prefix that `key list` shows, or the number', async () => {
    const { prefix } = await world.json('key', 'create', 'anna')
    expect(await world.json('key', 'revoke', prefix)).toMatchObject({
      id: 1,
      status: 'revoked',
      revoked_at_ms: NOW,
    })
    expect((await world.run('key', 'revoke', '1')).status).toBe(0)
  })

  test('rotate gives another key with the same settings; the old one is revoked at once', async () => {
    const old = await world.json('key', 'create', 'anna', '--name', 'phone', '--models', 'sim-*')
    const { out, err } = await world.run('key', 'rotate', '1')
    expect(out).toMatch(KEY_PATTERN)
    expect(out).not.toBe(old.key)
    expect(err).toContain('The old key is revoked.')
    expect((await world.json('key', 'list')).keys).toMatchObject([
      { name: 'phone', status: 'revoked' },
      { name: 'phone', status: 'active', models: ['sim-*'] },
    ])
  })

  test('with a grace the old one works that long', async () => {
    await world.run('key', 'create', 'anna')
    const { err } = await world.run('key', 'rotate', '1', '--grace', '1h')
    expect(err).toContain('The old key works until 2026-11-21T13:00:00')
    expect((await world.json('key', 'list')).keys[0].revoked_at_ms).toBe(NOW + 3_600_000)
  })
})
