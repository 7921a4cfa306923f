// `console link`, `console reset` and `account invite`: links that let people in to the console.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { hashOf, setPassword } from '../../src/access/passwords.ts'
import { readLink } from '../../src/access/sign-in-links.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { createScene, NOW, sceneOfEachTest } from '../app/commands/scene.ts'
import { openSessionAt, personAtConsole } from '../support/people.ts'

const HOUR_MS = 3_600_000
const SETTINGS = { enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 }

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'alice')
})

const opened = () => openDb(scene.path('tollgate.db'))
const tokenOf = (url: string) => new URL(url).hash.slice(1)
const catalogue = (before: string, after: string) =>
  writeFileSync(scene.path('tollgate.toml'), FIRST_CATALOGUE.replace(before, after))

/** Whom a link is for, at a time. */
async function forWhom(url: string, now_ms = NOW): Promise<string> {
  const db = opened()
  try {
    return (await readLink(db, tokenOf(url), now_ms)).account?.name ?? 'operator'
  } catch {
    // What the link says of itself is tested with its route.
    return 'nobody'
  } finally {
    await db.close()
  }
}

describe('console link', () => {
  test('prints a link for the operator alone on standard output', async () => {
    const { status, out, err } = await scene.run('console', 'link')
    expect([status, err]).toEqual([0, ''])
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/welcome#[A-Za-z0-9_-]{32}$/)
    expect(await forWhom(out)).toBe('operator')
    expect(await forWhom(out, NOW + 24 * HOUR_MS)).toBe('nobody')
  })

  test('replaces the one before', async () => {
    const { out: old } = await scene.run('console', 'link')
    const { url, expires_at } = await scene.json('console', 'link')
    expect([await forWhom(old), await forWhom(url)]).toEqual(['nobody', 'operator'])
    expect(expires_at).toBe(new Date(NOW + 24 * HOUR_MS).toISOString())
  })

  test.each([
    ['listen = "127.0.0.1:8080"', 'listen = "0.0.0.0:9000"', 'http://localhost:9000/console/'],
    ['listen = "127.0.0.1:8080"', 'listen = "[::1]:9000"', 'http://[::1]:9000/console/'],
    ['#public_url', 'public_url', 'https://gateway.example.com/console/'],
  ])('with %s → %s is at %s', async (before, after, url) => {
    catalogue(before, after)
    expect((await scene.run('console', 'link')).out).toStartWith(url)
  })

  test('is refused where the console is switched off', async () => {
    catalogue('#[console]\n#enabled = true', '[console]\nenabled = false')
    const { status, err } = await scene.run('console', 'link')
    expect(status).toBe(1)
    expect(err).toContain('enabled = true in [console]')
  })

  test('leaves the password and the sessions as they are', async () => {
    const db = opened()
    const person_id = await personAtConsole(db, null)
    await setPassword(db, { person_id, hash: '$argon2id$x', now_ms: NOW })
    await scene.run('console', 'link')
    expect(await hashOf(db, person_id)).toBe('$argon2id$x')
    await db.close()
  })
})

describe('console reset', () => {
  test('takes the password away, signs the operator out, and nobody else', async () => {
    const db = opened()
    const [operator, alice] = [await personAtConsole(db, null), await personAtConsole(db, 1)]
    await setPassword(db, { person_id: operator, hash: '$argon2id$x', now_ms: NOW })
    await setPassword(db, { person_id: alice, hash: '$argon2id$y', now_ms: NOW })
    for (const account_id of [null, null, 1])
      await openSessionAt(db, account_id, {
        token: crypto.randomUUID(),
        visitor: { address: undefined, user_agent: '' },
        now_ms: NOW,
        settings: SETTINGS,
      })
    const { url, ended_sessions } = await scene.json('console', 'reset')
    expect(ended_sessions).toBe(2)
    expect([await hashOf(db, operator), await hashOf(db, alice)]).toEqual([undefined, '$argon2id$y'])
    expect(db.rows('SELECT account_id FROM sessions')).toEqual([{ account_id: 1 }])
    expect(await forWhom(url)).toBe('operator')
    await db.close()
  })

  test('says what it did beside the link', async () => {
    const { out, err } = await scene.run('console', 'reset')
    expect(out).toMatch(/^http\S+$/)
    expect(err).toBe('Password, passkeys and identities removed. Sessions ended: 0.')
  })
})

describe('account invite', () => {
  test('prints a link for the account, for a week', async () => {
    const { out } = await scene.run('account', 'invite', 'alice')
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/invitation#/)
    expect(await forWhom(out)).toBe('alice')
    expect(await forWhom(out, NOW + 7 * 24 * HOUR_MS - 1)).toBe('alice')
    expect(await forWhom(out, NOW + 7 * 24 * HOUR_MS)).toBe('nobody')
  })

  test('is refused for nobody, and for a closed account, whose links and password go', async () => {
    const { out } = await scene.run('account', 'invite', 'alice')
    const db = opened()
    const alice = await personAtConsole(db, 1)
    await setPassword(db, { person_id: alice, hash: '$argon2id$x', now_ms: NOW })
    expect((await scene.run('account', 'invite', 'bob')).status).toBe(1)
    await scene.run('account', 'close', 'alice', '--yes')
    expect((await scene.run('account', 'invite', 'alice')).err).toContain('closed')
    expect(await hashOf(db, alice)).toBeUndefined()
    await scene.run('account', 'resume', 'alice')
    expect(await forWhom(out)).toBe('nobody')
    await db.close()
  })
})

test('a restored backup lets nobody in who was signed in when it was made, and keeps passwords', async () => {
  const db = opened()
  await setPassword(db, { person_id: await personAtConsole(db, null), hash: '$argon2id$x', now_ms: NOW })
  const visitor = { address: undefined, user_agent: '' }
  await openSessionAt(db, null, { token: 'x', visitor, now_ms: NOW, settings: SETTINGS })
  await db.write((db) =>
    db.rows(`INSERT INTO mails VALUES (1, 1, 'k1', 'invitation', '{"account":"alice"}', 'alice@example.org', 'en',
      '/console/invitation#TOKEN', 9, 'm1', 'queued', 0, 0, 0, NULL, NULL)`),
  )
  await db.close()
  const { out: link } = await scene.run('account', 'invite', 'alice')
  expect((await scene.run('backup', scene.path('backup.db'))).status).toBe(0)
  const fresh = createScene('nothing')
  expect(await fresh.run('restore', scene.path('backup.db'))).toMatchObject({ status: 0 })
  const restored = openDb(fresh.path('tollgate.db'))
  expect(restored.rows('SELECT * FROM sessions')).toEqual([])
  expect(await hashOf(restored, await personAtConsole(restored, null))).toBe('$argon2id$x')
  expect(restored.rows('SELECT * FROM sign_in_links')).toEqual([])
  expect(restored.rows('SELECT state, link FROM mails')).toEqual([{ state: 'cancelled', link: null }])
  await restored.close()
  fresh.remove()
  expect(await forWhom(link)).toBe('alice')
})
