// Decisions in one transaction: of two simultaneous operations only one gets what can be given once (on PostgreSQL: store/postgres/races.test.ts).
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { accountByName, createAccount } from '../../src/access/accounts.ts'
import { closeAccount } from '../../src/access/closing.ts'
import { payingKey, renewConsoleKey } from '../../src/access/console-key.ts'
import {
  createKey,
  freeKeyName,
  type Issuance,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../src/access/keys.ts'
import { createPasswords } from '../../src/access/passwords.ts'
import { endSession, type Visitor } from '../../src/access/session-rows.ts'
import { createSessions } from '../../src/access/sessions.ts'
import { createSignInEvents } from '../../src/access/sign-in-events.ts'
import { makeInvitation } from '../../src/access/sign-in-links.ts'
import { createSignInRate } from '../../src/access/sign-in-rate.ts'
import type { ConsoleSettings } from '../../src/domain/catalogue.ts'
import { notFound, upstreamFailed } from '../../src/domain/errors.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import type { Db } from '../../src/store/db.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { openSessionAt } from '../support/people.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const NOW = 1_000_000
const issuing: Issuance = {
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  now_ms: NOW,
}
const SETTINGS = { session_hours: 1, idle_hours: 1 } as ConsoleSettings
const folder = folderOfEachTest()

/** Runs the work twice at the same moment. @returns both outcomes */
async function twice(work: () => Promise<unknown>): Promise<string[]> {
  const ends = await Promise.allSettled([work(), work()])
  return ends.map((end) => (end.status === 'fulfilled' ? 'done' : end.reason.kind)).sort()
}

let db: Db
beforeEach(async () => {
  const path = folder.at('tollgate.db')
  makeEmptyDatabase(path)
  db = openDb(path)
  await createAccount(db, { name: 'ada', now_ms: NOW })
})
afterEach(() => db.close())

test('an account name is given once', async () => {
  expect(await twice(() => createAccount(db, { name: 'mia', now_ms: NOW }))).toEqual([
    'done',
    'invalid_request',
  ])
})

test('a key name is given once', async () => {
  expect(await twice(() => createKey(db, 'ada', { name: 'laptop' }, issuing))).toEqual([
    'done',
    'invalid_request',
  ])
})

test('keys without a name get different ones', async () => {
  const make = () =>
    db.begin(async (tx) => createKey(tx, 'ada', { name: await freeKeyName(tx, 1, NOW) }, issuing))
  expect(await twice(make)).toEqual(['done', 'done'])
  expect((await listKeys(db)).map(({ name }) => name)).toEqual(['key-1', 'key-2'])
})

test('a key is rotated once', async () => {
  await createKey(db, 'ada', { name: 'laptop' }, issuing)
  expect(await twice(() => rotateKey(db, '1', 60, issuing))).toEqual(['done', 'invalid_request'])
})

test('the key that pays for calls from the console is created once', async () => {
  const account = await accountByName(db, 'ada')
  const pay = () => payingKey(db, { account, person_id: null }, issuing)
  const renew = () => renewConsoleKey(db, { account, person_id: null }, issuing)
  expect(await twice(pay)).toEqual(['done', 'done'])
  await revokeKey(db, '1', NOW)
  expect(await twice(renew)).toEqual(['done', 'done'])
  expect((await listKeys(db)).map(({ id, revoked_at_ms }) => [id, revoked_at_ms])).toEqual([
    [1, NOW],
    [2, null],
  ])
})

test('an account that is closed meanwhile has no working key', async () => {
  const [closed] = await Promise.allSettled([
    closeAccount(db, 'ada', NOW),
    createKey(db, 'ada', { name: 'laptop' }, issuing),
  ])
  expect(closed.status).toBe('fulfilled')
  expect((await listKeys(db)).filter(({ revoked_at_ms }) => revoked_at_ms === null)).toEqual([])
})

const visitor: Visitor = { request_id: 'r', address: '203.0.113.7', user_agent: 'a browser' }
const newSessions = () =>
  createSessions({
    db,
    passwords: createPasswords(),
    rate: createSignInRate(() => NOW),
    events: createSignInEvents(),
    settings: () => SETTINGS,
    randomBytes: issuing.randomBytes,
    now: () => NOW,
    log: memoryLog().log,
  })

test('a link sets a password once, and a password is changed once', async () => {
  const sessions = newSessions()
  const [first, second, third] = ['the first password', 'the second password', 'the third password']
  const { token } = await makeInvitation(db, 'ada', issuing)
  expect(await twice(() => sessions.withLink({ token, password: first }, visitor))).toEqual([
    'done',
    'not_found',
  ])
  const signIn = (password: string) => sessions.withPassword({ who: 'ada', password }, visitor)
  const { viewer, token: cookie } = await signIn(first)
  expect(await sessions.viewer(cookie, visitor.address, 'r')).toEqual(viewer)
  const other = await signIn(first)
  const changes = [second, third].map((new_password) =>
    sessions.changePassword(viewer, { old_password: first, new_password }, visitor),
  )
  const ends = await Promise.allSettled(changes)
  // Either may win, because their hashes are computed in parallel.
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const [changed, refused] = ends[0]?.status === 'fulfilled' ? [second, third] : [third, second]
  await expect(sessions.viewer(other.token, visitor.address)).rejects.toMatchObject({
    kind: 'unauthenticated',
  })
  for (const wrong of [first, refused])
    await expect(signIn(wrong)).rejects.toMatchObject({ code: 'wrong_password' })
  for (const name of ['nobody', 'operator', undefined])
    await expect(sessions.withPassword({ who: name, password: changed }, visitor)).rejects.toMatchObject({
      code: 'wrong_password',
    })
  expect((await signIn(changed)).viewer.role).toBe('owner')
  await sessions.sweep()
})

test.each([
  ['a wrong guess', () => notFound('No such link.'), 'rate_limited'],
  ['an unreachable provider', () => upstreamFailed('The provider does not answer.'), 'upstream_failed'],
  ['a disk failure', () => new StorageFailure('full', { code: 'SQLITE_FULL', message: 'full' }), undefined],
] as const)('of thirty failed look-ups only guesses meet the rate limit: %s', async (_, failure, kind) => {
  const sessions = newSessions()
  let last: unknown
  for (let i = 0; i < 30; i++)
    await sessions
      .found(visitor, () => {
        throw failure()
      })
      .catch((thrown: unknown) => {
        last = thrown
      })
  expect((last as { kind?: string }).kind).toBe(kind)
})

test('a session ends once', async () => {
  const { id } = await openSessionAt(db, 1, {
    token: 'x'.repeat(43),
    visitor: { address: undefined, user_agent: '' },
    now_ms: NOW,
    settings: SETTINGS,
  })
  expect(
    await twice(() =>
      endSession(db, { side: 'operator', role: 'operator', session_id: 9, person_id: 9 }, id),
    ),
  ).toEqual(['done', 'not_found'])
})
