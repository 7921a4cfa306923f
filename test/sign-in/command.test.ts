// `console link`, `console reset` and `account invite`: links to sign in at the console.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { hashOf, setPassword } from '../../src/access/passwords.ts'
import { readLink } from '../../src/access/sign-in-links.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Db } from '../../src/store/db.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { createScene, NOW, sceneOfEachTest } from '../app/commands/scene.ts'
import { openSessionAt, personAtConsole } from '../support/people.ts'

const HOUR_MS = 3_600_000
const SETTINGS = { enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 }

const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'alice')
})

const open = () => openDb(scene.path('tollgate.db'))
const sessionOf = (db: Db, account_id: number | null) =>
  openSessionAt(db, account_id, {
    token: crypto.randomUUID(),
    visitor: { address: undefined, user_agent: '' },
    now_ms: NOW,
    settings: SETTINGS,
  })
const tokenOf = (url: string) => new URL(url).hash.slice(1)
const catalogue = (before: string, after: string) =>
  writeFileSync(scene.path('tollgate.toml'), FIRST_CATALOGUE.replace(before, after))

/** The account of a link, "operator", or "nobody" if it is not valid at the time. */
async function recipientOf(url: string, now_ms = NOW): Promise<string> {
  const db = open()
  try {
    return (await readLink(db, tokenOf(url), now_ms)).account?.name ?? 'operator'
  } catch {
    // The reason is tested with the route of links.
    return 'nobody'
  } finally {
    await db.close()
  }
}

describe('console link', () => {
  test('prints only a link for the operator on standard output', async () => {
    const { status, out, err } = await scene.run('console', 'link')
    expect([status, err]).toEqual([0, ''])
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/welcome#[A-Za-z0-9_-]{32}$/)
    expect(await recipientOf(out)).toBe('operator')
    expect(await recipientOf(out, NOW + 24 * HOUR_MS)).toBe('nobody')
  })

  test('replaces the previous link', async () => {
    const { out: old } = await scene.run('console', 'link')
    const { url, expires_at } = await scene.json('console', 'link')
    expect([await recipientOf(old), await recipientOf(url)]).toEqual(['nobody', 'operator'])
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

  test('is refused if the console is disabled', async () => {
    catalogue('#[console]\n#enabled = true', '[console]\nenabled = false')
    const { status, err } = await scene.run('console', 'link')
    expect(status).toBe(1)
    expect(err).toContain('enabled = true in [console]')
  })

  test('keeps the password and the sessions', async () => {
    const db = open()
    const person_id = await personAtConsole(db, null)
    await setPassword(db, { person_id, hash: '$argon2id$x', now_ms: NOW })
    await sessionOf(db, null)
    await scene.run('console', 'link')
    expect(await hashOf(db, person_id)).toBe('$argon2id$x')
    expect(db.rows('SELECT account_id FROM sessions')).toEqual([{ account_id: null }])
    await db.close()
  })
})

describe('console reset', () => {
  test('removes the password and ends the sessions of the operator, and of nobody else', async () => {
    const db = open()
    const [operator, alice] = [await personAtConsole(db, null), await personAtConsole(db, 1)]
    await setPassword(db, { person_id: operator, hash: '$argon2id$x', now_ms: NOW })
    await setPassword(db, { person_id: alice, hash: '$argon2id$y', now_ms: NOW })
    for (const account_id of [null, null, 1]) await sessionOf(db, account_id)
    const { url, ended_sessions } = await scene.json('console', 'reset')
    expect(ended_sessions).toBe(2)
    expect([await hashOf(db, operator), await hashOf(db, alice)]).toEqual([undefined, '$argon2id$y'])
    expect(db.rows('SELECT account_id FROM sessions')).toEqual([{ account_id: 1 }])
    expect(await recipientOf(url)).toBe('operator')
    await db.close()
  })

  test('reports the removal on standard error, beside the link', async () => {
    const { out, err } = await scene.run('console', 'reset')
    expect(out).toMatch(/^http\S+$/)
    expect(err).toBe('Password, passkeys and identities removed. Sessions ended: 0.')
  })
})

describe('account invite', () => {
  test('prints a link for the account, for a week', async () => {
    const { out } = await scene.run('account', 'invite', 'alice')
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/invitation#/)
    expect(await recipientOf(out)).toBe('alice')
    expect(await recipientOf(out, NOW + 7 * 24 * HOUR_MS - 1)).toBe('alice')
    expect(await recipientOf(out, NOW + 7 * 24 * HOUR_MS)).toBe('nobody')
  })

  test('is refused for an unknown account, and for a closed one, which loses its links and password', async () => {
    const { out } = await scene.run('account', 'invite', 'alice')
    const db = open()
    const alice = await personAtConsole(db, 1)
    await setPassword(db, { person_id: alice, hash: '$argon2id$x', now_ms: NOW })
    expect((await scene.run('account', 'invite', 'bob')).status).toBe(1)
    await scene.run('account', 'close', 'alice', '--yes')
    expect((await scene.run('account', 'invite', 'alice')).err).toContain('closed')
    expect(await hashOf(db, alice)).toBeUndefined()
    await scene.run('account', 'resume', 'alice')
    expect(await recipientOf(out)).toBe('nobody')
    await db.close()
  })
})

test('a restored backup has no sessions, links or queued mails, and keeps passwords', async () => {
  const db = open()
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
  expect(await recipientOf(link)).toBe('alice')
})
