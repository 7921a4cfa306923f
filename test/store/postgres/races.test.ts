// What is decided on by what is read, at two gateways at the same moment: the second decides by what the first has written.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeConditions } from '../../../plugins/alerts/store.ts'
import { issueKey, MAX_USABLE_KEYS } from '../../../plugins/keys/console/keys.ts'
import { beginErasing } from '../../../plugins/personal-data/closing.ts'
import { changeDetails } from '../../../src/access/account-details.ts'
import { createAccount, findAccount, renameAccount, suspendAccount } from '../../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../../src/access/closing.ts'
import { payingKey, renewConsoleKey } from '../../../src/access/console-key.ts'
import { countUsableKeys } from '../../../src/access/key-listing.ts'
import {
  changeKey,
  createKey,
  freeKeyName,
  type Issuing,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/access/keys.ts'
import { type Passwords, setPassword } from '../../../src/access/passwords.ts'
import { endSession, openSession } from '../../../src/access/session-rows.ts'
import { createSessions } from '../../../src/access/sessions.ts'
import {
  makeInvitation,
  makeOperatorsLink,
  resetOperator,
  takeLink,
} from '../../../src/access/sign-in-links.ts'
import { createSignInRate } from '../../../src/access/sign-in-rate.ts'
import { firstStart } from '../../../src/app/commands/first-start.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import { keepText } from '../../../src/catalogue/past.ts'
import type { ConsoleSettings } from '../../../src/domain/catalogue.ts'
import { createKeptAnswers } from '../../../src/idempotency/kept-answers.ts'
import { beginIntake } from '../../../src/library/intake.ts'
import { foldersIn, openLibrary } from '../../../src/library/library.ts'
import { FILE_QUOTA_BYTES } from '../../../src/media/limits.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { deleteNamed, insertRow } from '../../../src/responses/rows.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import type { Account } from '../../../src/store/schema.ts'
import { PNG } from '../../library/support.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { databaseOfFile, dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { temporary } from '../../support/temporary.ts'
import { atOnce, type Hold } from './at-once.ts'

const NOW = 1_700_000_000_000
const HASH = '$argon2id$1'
const SETTINGS = { session_hours: 1, idle_hours: 1 } as ConsoleSettings
const VISITOR = { request_id: 'r', address: '203.0.113.7', user_agent: 'a browser' }
/** No row of where somebody signed in is changed by both. */
const ELSEWHERE = { ...VISITOR, address: '198.51.100.9' }
const OPERATOR = { role: 'operator', session_id: 0 } as const
const issuing: Issuing = {
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  now_ms: NOW,
}

/** Two gateways over the same database, and an account that no other test has. */
interface World {
  one: Db
  other: Db
  account: Account
  name: string
}

interface Race {
  /** What both wait for; absent: the account. */
  hold?: Hold
  first: () => Promise<unknown>
  second: () => Promise<unknown>
  ends: [first: string, second: string]
  /** Rows at the end, by a text of SQL. */
  left?: Left
}

type Left = [text: string, rows: Record<string, unknown>[]]

const { url, db: third } = await databaseOfFile()
const one = hasPostgres ? await openPostgres(url) : third
const other = hasPostgres ? await openPostgres(url) : third
afterAll(async () => {
  for (const db of [one, other]) await db.close()
})

const operator: Hold = (tx) => tx.lock(null)
const key = (db: Db, { name }: World, key_name: string) => createKey(db, name, { name: key_name }, issuing)
const idOf = async (world: World, key_name: string) => String((await key(world.one, world, key_name)).key.id)
const keysOf = ({ account }: World, rows: Record<string, unknown>[]): Left => [
  `SELECT name, revoked_at_ms FROM keys WHERE account_id = ${account.id} ORDER BY id`,
  rows,
]
const actionsOf = ({ account }: World, action: string, count: number): Left => [
  `SELECT count(*) AS count FROM actions WHERE account_id = ${account.id} AND action = '${action}'`,
  [{ count }],
]
/** Without the work of real ones, as who waits for a lock waits for some seconds at most. */
const passwords: Passwords = {
  hash: async (password) => `$argon2id$${password}`,
  verify: async (password, hash) => hash === `$argon2id$${password}`,
}

const sessionsOf = (db: Db) =>
  createSessions({
    db,
    passwords,
    rate: createSignInRate(() => NOW),
    settings: () => SETTINGS,
    randomBytes: issuing.randomBytes,
    now: () => NOW,
    log: memoryLog().log,
  })
const opening = () => ({
  token: Buffer.from(issuing.randomBytes(32)).toString('base64url'),
  visitor: VISITOR,
  now_ms: NOW,
  settings: SETTINGS,
})

/** An account with a password and a session. */
async function signedIn({ one, name }: World, password: string) {
  const { token } = await makeInvitation(one, name, issuing)
  return await sessionsOf(one).withLink({ token, password }, VISITOR)
}

const ACCOUNTS: [string, (world: World) => Race | Promise<Race>][] = [
  [
    'of two accounts that get the same name, the second is refused',
    async ({ one, other, name }) => {
      await createAccount(one, { name: `${name}-b`, now_ms: NOW })
      return {
        hold: operator,
        first: () => renameAccount(one, name, `${name}-c`),
        second: () => renameAccount(other, `${name}-b`, `${name}-c`),
        ends: ['done', 'invalid_request'],
      }
    },
  ],
  [
    'a name that a new account gets is no other’s',
    ({ one, other, name }) => ({
      hold: operator,
      first: () => createAccount(one, { name: `${name}-b`, now_ms: NOW }),
      second: () => renameAccount(other, name, `${name}-b`),
      ends: ['done', 'invalid_request'],
    }),
  ],
  [
    'an account that was renamed is not found by the name that it had',
    ({ one, other, name }) => ({
      first: () => renameAccount(one, name, `${name}-b`),
      second: () => suspendAccount(other, name),
      ends: ['done', 'not_found'],
    }),
  ],
  [
    'an account is suspended once',
    (world) => ({
      first: () => suspendAccount(world.one, world.name),
      second: () => suspendAccount(world.other, world.name),
      ends: ['done', 'done'],
      left: actionsOf(world, 'account.suspended', 1),
    }),
  ],
  [
    'an account is closed once',
    (world) => ({
      first: () => closeAccount(world.one, world.name, NOW),
      second: () => closeAccount(world.other, world.name, NOW),
      ends: ['done', 'done'],
      left: actionsOf(world, 'account.closed', 1),
    }),
  ],
  [
    'an account is opened again once',
    async (world) => {
      await suspendAccount(world.one, world.name)
      return {
        first: () => reopenAccount(world.one, world.name),
        second: () => reopenAccount(world.other, world.name),
        ends: ['done', 'done'],
        left: actionsOf(world, 'account.resumed', 1),
      }
    },
  ],
  [
    'an account is erased once',
    (world) => ({
      first: () => beginErasing(world.one, world.name, NOW),
      second: () => beginErasing(world.other, world.name, NOW),
      ends: ['done', 'done'],
      left: actionsOf(world, 'account.erased', 1),
    }),
  ],
  [
    'an account that is erased is not opened again',
    ({ one, other, name }) => ({
      first: () => beginErasing(one, name, NOW),
      second: () => reopenAccount(other, name),
      ends: ['done', 'conflict'],
    }),
  ],
  [
    'an account that is erased gets no details',
    ({ one, other, name }) => ({
      first: () => beginErasing(one, name, NOW),
      second: () => changeDetails(other, name, { note: 'x' }),
      ends: ['done', 'conflict'],
    }),
  ],
  [
    'an account that is closed gets no invitation',
    ({ one, other, name }) => ({
      first: () => closeAccount(one, name, NOW),
      second: () => makeInvitation(other, name, issuing),
      ends: ['done', 'conflict'],
    }),
  ],
  [
    'an account that is closed gets no key',
    (world) => ({
      first: () => closeAccount(world.one, world.name, NOW),
      second: () => key(world.other, world, 'laptop'),
      ends: ['done', 'conflict'],
      left: keysOf(world, []),
    }),
  ],
]

const KEYS: typeof ACCOUNTS = [
  [
    'a key of a name is made once',
    (world) => ({
      first: () => key(world.one, world, 'laptop'),
      second: () => key(world.other, world, 'laptop'),
      ends: ['done', 'invalid_request'],
      left: keysOf(world, [{ name: 'laptop', revoked_at_ms: null }]),
    }),
  ],
  [
    'keys without a name get different ones',
    (world) => {
      const make = (db: Db) =>
        db.begin(async (tx) => key(tx, world, await freeKeyName(tx, world.account.id, NOW)))
      return {
        first: () => make(world.one),
        second: () => make(world.other),
        ends: ['done', 'done'],
        left: keysOf(world, [
          { name: 'key-1', revoked_at_ms: null },
          { name: 'key-2', revoked_at_ms: null },
        ]),
      }
    },
  ],
  [
    'of two keys that get the same name, the second is refused',
    async (world) => {
      const [laptop, phone] = [await idOf(world, 'laptop'), await idOf(world, 'phone')]
      return {
        first: () => changeKey(world.one, laptop, { name: 'mine' }, NOW),
        second: () => changeKey(world.other, phone, { name: 'mine' }, NOW),
        ends: ['done', 'invalid_request'],
      }
    },
  ],
  [
    'a key that is revoked is not changed',
    async (world) => {
      const laptop = await idOf(world, 'laptop')
      return {
        first: () => revokeKey(world.one, laptop, NOW),
        second: () => changeKey(world.other, laptop, { name: 'mine' }, NOW),
        ends: ['done', 'invalid_request'],
      }
    },
  ],
  [
    'a key is revoked once',
    async (world) => {
      const laptop = await idOf(world, 'laptop')
      return {
        first: () => revokeKey(world.one, laptop, NOW),
        second: () => revokeKey(world.other, laptop, NOW),
        ends: ['done', 'done'],
        left: actionsOf(world, 'key.revoked', 1),
      }
    },
  ],
  [
    'a key is rotated once',
    async (world) => {
      const laptop = await idOf(world, 'laptop')
      return {
        first: () => rotateKey(world.one, laptop, 60, issuing),
        second: () => rotateKey(world.other, laptop, 60, issuing),
        ends: ['done', 'invalid_request'],
      }
    },
  ],
  [
    'the key that pays for calls from the console is made once',
    (world) => ({
      first: () => payingKey(world.one, world.account, issuing),
      second: () => payingKey(world.other, world.account, issuing),
      ends: ['done', 'done'],
      left: keysOf(world, [{ name: 'console', revoked_at_ms: null }]),
    }),
  ],
  [
    'the key that pays for calls from the console is renewed once',
    async (world) => {
      const { id } = await payingKey(world.one, world.account, issuing)
      await revokeKey(world.one, String(id), NOW)
      return {
        first: () => renewConsoleKey(world.one, world.account, issuing),
        second: () => renewConsoleKey(world.other, world.account, issuing),
        ends: ['done', 'done'],
        left: keysOf(world, [
          { name: 'console', revoked_at_ms: NOW },
          { name: 'console', revoked_at_ms: null },
        ]),
      }
    },
  ],
]

const [FIRST, SECOND, THIRD] = ['the first password', 'the second password', 'the third password']

const SIGNING_IN: typeof ACCOUNTS = [
  [
    'a link is used once',
    async ({ one, other, name }) => {
      const { token } = await makeInvitation(one, name, issuing)
      return {
        first: () => takeLink(one, token, { hash: HASH, now_ms: NOW }),
        second: () => takeLink(other, token, { hash: HASH, now_ms: NOW }),
        ends: ['done', 'not_found'],
      }
    },
  ],
  [
    'a link that was replaced is not used',
    async ({ one, other, name }) => {
      const { token } = await makeInvitation(one, name, issuing)
      return {
        first: () => makeInvitation(one, name, issuing),
        second: () => takeLink(other, token, { hash: HASH, now_ms: NOW }),
        ends: ['done', 'not_found'],
      }
    },
  ],
  [
    'the operator has one link',
    ({ one, other }) => ({
      hold: operator,
      first: () => makeOperatorsLink(one, issuing),
      second: () => makeOperatorsLink(other, issuing),
      ends: ['done', 'done'],
      left: ['SELECT count(*) AS count FROM sign_in_links WHERE account_id IS NULL', [{ count: 1 }]],
    }),
  ],
  [
    'an operator who is reset is signed in nowhere',
    async ({ one, other }) => {
      const { token } = await makeOperatorsLink(one, issuing)
      await sessionsOf(one).withLink({ token, password: FIRST }, VISITOR)
      return {
        hold: operator,
        first: () => sessionsOf(one).withPassword({ account: undefined, password: FIRST }, ELSEWHERE),
        second: () => resetOperator(other, issuing),
        ends: ['done', 'done'],
        left: ['SELECT count(*) AS count FROM sessions WHERE account_id IS NULL', [{ count: 0 }]],
      }
    },
  ],
  [
    'an account has one password',
    ({ one, other, account: { id } }) => ({
      first: () => setPassword(one, { account_id: id, hash: HASH, now_ms: NOW }),
      second: () => setPassword(other, { account_id: id, hash: `${HASH}2`, now_ms: NOW }),
      ends: ['done', 'done'],
      left: [`SELECT hash FROM passwords WHERE account_id = ${id}`, [{ hash: `${HASH}2` }]],
    }),
  ],
  [
    'a password is changed once',
    async (world) => {
      const { viewer } = await signedIn(world, FIRST)
      const change = (db: Db, new_password: string) => () =>
        sessionsOf(db).changePassword(viewer, { old_password: FIRST, new_password }, VISITOR)
      return {
        first: change(world.one, SECOND),
        second: change(world.other, THIRD),
        ends: ['done', 'permission_denied'],
      }
    },
  ],
  [
    'nobody signs in with the password that was changed',
    async (world) => {
      const { one, other, name } = world
      const { viewer } = await signedIn(world, FIRST)
      const change = { old_password: FIRST, new_password: SECOND }
      return {
        first: () => sessionsOf(one).changePassword(viewer, change, VISITOR),
        second: () => sessionsOf(other).withPassword({ account: name, password: FIRST }, VISITOR),
        ends: ['done', 'unauthenticated'],
      }
    },
  ],
  [
    'a session that is opened before the account is closed ends with it',
    ({ one, other, name, account: { id } }) => ({
      first: () => openSession(one, { account_id: id, key_id: null }, opening()),
      second: () => closeAccount(other, name, NOW),
      ends: ['done', 'done'],
      left: [`SELECT count(*) AS count FROM sessions WHERE account_id = ${id}`, [{ count: 0 }]],
    }),
  ],
  [
    'nobody signs in by a key that was revoked',
    async (world) => {
      const { account } = world
      const { key: made } = await key(world.one, world, 'laptop')
      return {
        first: () => revokeKey(world.one, String(made.id), NOW),
        second: () => sessionsOf(world.other).withKey(() => ({ key: made, account }), VISITOR),
        ends: ['done', 'unauthenticated'],
      }
    },
  ],
  [
    'a session is ended once',
    async (world) => {
      const { id } = await openSession(world.one, { account_id: world.account.id, key_id: null }, opening())
      return {
        hold: (tx) => tx.rows('SELECT 1 FROM sessions WHERE id = $id FOR UPDATE', { id }),
        first: () => endSession(world.one, OPERATOR, id),
        second: () => endSession(world.other, OPERATOR, id),
        ends: ['done', 'not_found'],
        left: actionsOf(world, 'session.ended', 1),
      }
    },
  ],
]

/** Adds a response, which continues another or none. @throws Error where that is gone */
async function respond(db: Db, { account }: World, id: string, previous_id?: string): Promise<void> {
  const kept = { id, account_id: account.id, previous_id, created_at_ms: NOW, input: [], response: {} }
  const columns = { body: Buffer.from(id), body_file: null, kept_bytes: 1 }
  if (!(await insertRow(db, kept, columns))) throw new Error('gone')
}

/** @throws Error where it is not found */
async function remove(db: Db, { account }: World, response_id: string): Promise<void> {
  const named = { account_id: account.id, response_id, expired_by_ms: 0 }
  if (!(await db.begin((tx) => deleteNamed(tx, named, 0)))) throw new Error('not found')
}

/** Two who meet in the response `one` of a conversation. */
function meeting(
  ids: readonly string[],
  works: [(db: Db, world: World) => Promise<unknown>, (db: Db, world: World) => Promise<unknown>],
  ends: Race['ends'],
  rows: Record<string, unknown>[],
): (world: World) => Promise<Race> {
  return async (world) => {
    const { id } = world.account
    for (const [at, response_id] of ids.entries()) await respond(world.one, world, response_id, ids[at - 1])
    if (ids.includes('two')) await remove(world.one, world, 'one')
    return {
      hold: (tx) =>
        tx.rows("SELECT 1 FROM responses WHERE account_id = $id AND response_id = 'one' FOR UPDATE", { id }),
      first: () => works[0](world.one, world),
      second: () => works[1](world.other, world),
      ends,
      left: [
        `SELECT response_id, later, deleted FROM responses WHERE account_id = ${id} ORDER BY response_id`,
        rows,
      ],
    }
  }
}

const removing = (id: string) => (db: Db, world: World) => remove(db, world, id)
const continuing = (id: string) => (db: Db, world: World) => respond(db, world, id, 'one')

const RESPONSES: typeof ACCOUNTS = [
  [
    'a response that is continued stays, though it is deleted',
    meeting(
      ['one'],
      [continuing('next'), removing('one')],
      ['done', 'done'],
      [
        { response_id: 'next', later: 0, deleted: 0 },
        { response_id: 'one', later: 1, deleted: 1 },
      ],
    ),
  ],
  [
    'a response that is deleted is not continued',
    meeting(['one'], [removing('one'), continuing('next')], ['done', 'gone'], []),
  ],
  [
    'a response is deleted once',
    meeting(['one'], [removing('one'), removing('one')], ['done', 'not found'], []),
  ],
  [
    'a response that is continued twice counts both',
    meeting(
      ['one'],
      [continuing('a'), continuing('b')],
      ['done', 'done'],
      [
        { response_id: 'a', later: 0, deleted: 0 },
        { response_id: 'b', later: 0, deleted: 0 },
        { response_id: 'one', later: 2, deleted: 0 },
      ],
    ),
  ],
  [
    'a response that was kept for another goes with that unless it is continued meanwhile',
    meeting(
      ['one', 'two'],
      [continuing('next'), removing('two')],
      ['done', 'done'],
      [
        { response_id: 'next', later: 0, deleted: 0 },
        { response_id: 'one', later: 1, deleted: 1 },
      ],
    ),
  ],
  [
    'a response that is deleted while the last that continues it goes, goes, too',
    meeting(['one', 'next'], [removing('next'), removing('one')], ['done', 'done'], []),
  ],
  [
    'a response that is deleted goes with the last that continues it',
    meeting(['one', 'next'], [removing('one'), removing('next')], ['done', 'done'], []),
  ],
  [
    'a response that went with another is not continued',
    meeting(['one', 'two'], [removing('two'), continuing('next')], ['done', 'gone'], []),
  ],
]

const condition = { rule: 'low_balance', subject: 'x', account_id: null, sentence: 'It is low.' } as const

const OPERATORS: typeof ACCOUNTS = [
  [
    'an alert is raised once',
    ({ one, other, name }) => {
      const raise = (db: Db) =>
        writeConditions(db, [{ ...condition, subject: name }], {
          looked_at: new Set(['low_balance']),
          now_ms: NOW,
          newWebhookId: () => `msg_${crypto.randomUUID()}`,
        })
      return {
        hold: operator,
        first: () => raise(one),
        second: () => raise(other),
        ends: ['done', 'done'],
        left: [`SELECT count(*) AS count FROM alerts WHERE subject = '${name}'`, [{ count: 1 }]],
      }
    },
  ],
  [
    'a text of the catalogue is kept once',
    ({ one, other, name }) => {
      const keep = (tx: Tx) => keepText(tx, { text: `# ${name}`, made_by: 'file', made_at_ms: NOW })
      return {
        hold: operator,
        first: () => one.begin(keep),
        second: () => other.begin(keep),
        ends: ['done', 'done'],
        left: [`SELECT count(*) AS count FROM catalogues WHERE text = '# ${name}'`, [{ count: 1 }]],
      }
    },
  ],
]

let count = 0

describe.if(hasPostgres).each([
  ['accounts', ACCOUNTS],
  ['keys', KEYS],
  ['signing in', SIGNING_IN],
  ['kept responses', RESPONSES],
  ['the operator', OPERATORS],
] as const)('%s', (_, races) => {
  test.each([...races])('%s', async (_, raceIn) => {
    count += 1
    const name = `ada-${count}`
    const account = await createAccount(one, { name, now_ms: NOW })
    const race = await raceIn({ one, other, account, name })
    const hold = race.hold ?? ((tx: Tx) => tx.lock(account.id))
    expect(await atOnce(third, hold, [race.first, race.second])).toEqual(race.ends)
    if (race.left) expect(await third.rows<object>(race.left[0])).toEqual(race.left[1])
  })
})

test.if(hasPostgres)('uploads that have room one by one, but not together, are not both stored', async () => {
  const { id } = await createAccount(one, { name: 'bob', now_ms: NOW })
  const used = FILE_QUOTA_BYTES - Math.ceil(1.5 * PNG.length)
  await one.write((db) =>
    db.rows(
      `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms)
       VALUES ('files/${id}/x', ${id}, 'x', 'stored', 'image/png', ${used}, '${'0'.repeat(64)}', 1, 1, 0)`,
    ),
  )
  using folder = temporary()
  const intakes = await Promise.all(
    [one, other].map(async (db, at) => {
      const intake = beginIntake(
        openLibrary({ db, now: () => NOW, probe: () => {}, gateway_id: at + 1, ...foldersIn(folder.path) }),
        id,
      )
      await intake.add({
        filename: 'cat.png',
        content: (async function* () {
          yield PNG
        })(),
      })
      return intake
    }),
  )
  const ends = await atOnce(
    third,
    (tx) => tx.lock(id),
    intakes.map((intake) => () => intake.commit()),
  )
  expect(ends).toEqual(['done', 'payload_too_large'])
})

/** Keeps answers of 100 bytes in a database, of which an account has room for two. */
function keeperOf(db: Db, account_id: number, folder: string, gateway_id: number) {
  const answers = createKeptAnswers(db, createFileStore(folder), {
    now: () => NOW,
    limits: () => ({ kept_bytes: 10_000, kept_bytes_per_account: 250, keys_per_account: 9 }),
    gateway_id,
  })
  return async (key: string) => {
    const request = { account_id, key, request_sha256: Buffer.alloc(32), request_id: `${key}-${account_id}` }
    await answers.begin(request, undefined, () => false)
    const body = await answers.write(account_id, new Uint8Array(100), 1_000)
    await answers.keep(request, { status: 200, headers: [], body })
  }
}

test.if(hasPostgres)('two who need room for an answer give up one each', async () => {
  const { id } = await createAccount(one, { name: 'dan', now_ms: NOW })
  using folder = temporary()
  const keep = keeperOf(one, id, folder.path, 1)
  await keep('a')
  await keep('b')
  const keepThere = keeperOf(other, id, folder.path, 2)
  const hold: Hold = (tx) =>
    tx.rows("SELECT 1 FROM idempotency_keys WHERE account_id = $id AND key = 'a' FOR UPDATE", { id })
  expect(await atOnce(third, hold, [() => keep('c'), () => keepThere('d')])).toEqual(['done', 'done'])
  const kept = await third.rows<{ key: string }>(
    'SELECT key FROM idempotency_keys WHERE account_id = $id AND kept_bytes > 0 ORDER BY key',
    { id },
  )
  expect(kept.map(({ key }) => key)).toEqual(['c', 'd'])
})

test.if(hasPostgres)('people get no more keys than they may have', async () => {
  const { id: account_id, name } = await createAccount(one, { name: 'tom', now_ms: NOW })
  await one.write((db) =>
    db.rows(
      `INSERT INTO keys (account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
       SELECT ${account_id}, 'of ' || n, 'tg_' || n, sha256(('key ' || n)::bytea), 0, 0, 0
       FROM generate_series(2, ${MAX_USABLE_KEYS}) AS n`,
    ),
  )
  const issue = (db: Db) => () =>
    issueKey(
      {
        db,
        calls: { now: () => NOW },
        people: { randomBytes: issuing.randomBytes, page_calls: { take: () => ({ admitted: true }) } },
      } as unknown as Gateway,
      {
        viewer: { role: 'account', session_id: 1, account_id, account: name },
        origin: {
          request_id: 'r',
          request: new Request('http://localhost'),
          sockets: () => undefined,
        } as unknown as CallOrigin,
      },
      {},
    )
  const [, second] = await atOnce(third, (tx) => tx.lock(account_id), [issue(one), issue(other)])
  // The first is made. To show it takes a whole gateway.
  expect(second).toBe('conflict')
  expect(await countUsableKeys(third, account_id, NOW)).toBe(MAX_USABLE_KEYS)
})

/** A first start that stops where its account is to be topped up. */
function halfwayStart(db: Db) {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const start = () =>
    firstStart({
      db,
      ledger: {
        async submit() {
          begun.resolve()
          await gate.promise
          return {} as never
        },
      },
      randomBytes: issuing.randomBytes,
      now: () => NOW,
    })
  let text: Promise<string | undefined> | undefined
  return {
    begin() {
      text = start()
      return Promise.race([begun.promise, text])
    },
    async end() {
      gate.resolve()
      return await text
    },
  }
}

test.if(hasPostgres)('two gateways that start first make one account, and one of them its key', async () => {
  const { name, url } = await makeDatabase()
  try {
    await using one = await openPostgres(url)
    await using other = await openPostgres(url)
    await using third = await openPostgres(url)
    const starts = [halfwayStart(one), halfwayStart(other)]
    expect(
      await atOnce(
        third,
        operator,
        starts.map(({ begin }) => begin),
      ),
    ).toEqual(['done', 'done'])
    expect(
      await atOnce(
        third,
        operator,
        starts.map(({ end }) => end),
      ),
    ).toEqual(['done', 'done'])
    expect(await Promise.all(starts.map(async ({ end }) => typeof (await end())))).toEqual([
      'string',
      'undefined',
    ])
    expect((await listKeys(third)).map(({ name }) => name)).toEqual(['demo'])
  } finally {
    await dropDatabase(name)
  }
})

const TAKER = `
  const [, url, token, hash] = process.argv
  const { openPostgres } = await import(${JSON.stringify(`${import.meta.dir}/../../../src/store/engines/postgres/open.ts`)})
  const { takeLink } = await import(${JSON.stringify(`${import.meta.dir}/../../../src/access/sign-in-links.ts`)})
  await using db = await openPostgres(url)
  console.log('opened')
  for await (const _ of console) break
  console.log(await takeLink(db, token, { hash, now_ms: ${NOW} }).then(() => 'done', ({ kind }) => kind))`

/** A process of its own. @returns has it take a link, and fails as it failed */
async function taker(token: string, hash: string): Promise<() => Promise<void>> {
  const child = Bun.spawn([process.execPath, '-e', TAKER, url, token, hash], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  expect((await said.read()).value).toBe('opened\n')
  return async () => {
    await child.stdin.write('\n')
    await child.stdin.end()
    const { value = '' } = await said.read()
    await child.exited
    if (value !== 'done\n') throw new Error(value.trim())
  }
}

test.if(hasPostgres)('of two processes with the same link one uses it, whose password is set', async () => {
  const { id, name } = await createAccount(one, { name: 'eve', now_ms: NOW })
  const { token } = await makeInvitation(one, name, issuing)
  const takers = await Promise.all([taker(token, HASH), taker(token, `${HASH}2`)])
  expect(await atOnce(third, (tx) => tx.lock(id), takers)).toEqual(['done', 'not_found'])
  expect(await third.rows<object>('SELECT hash FROM passwords WHERE account_id = $id', { id })).toEqual([
    { hash: HASH },
  ])
})

test.if(hasPostgres)(
  'while an account is locked the ledger waits, and what only refers to it does not',
  async () => {
    const { id } = await createAccount(one, { name: 'mia', now_ms: NOW })
    const balance = () =>
      one.write((db) => db.rows('UPDATE accounts SET balance_nanos = 0 WHERE id = $id', { id }))
    const lock = (tx: Tx) => tx.lock(id)
    expect(await atOnce(third, lock, [balance])).toEqual(['done'])
    const refer = () => one.write((db) => db.rows(`INSERT INTO closed_accounts VALUES (${id}, 0)`))
    await expect(atOnce(third, lock, [refer])).rejects.toThrow('It did not wait: done')
  },
)

test.if(hasPostgres)('nothing but a transaction has a lock', async () => {
  expect('lock' in one).toBe(false)
  expect(await findAccount(one, 'nobody')).toBeUndefined()
})
