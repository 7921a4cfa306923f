// Decisions by what is read, at two gateways at the same moment: the second decides by what the first has written.
import { expect, test } from 'bun:test'
import { writeConditions } from '../../../plugins/alerts/store.ts'
import { issueKey, MAX_USABLE_KEYS } from '../../../plugins/keys/console/keys.ts'
import { startErasing } from '../../../plugins/personal-data/closing.ts'
import { changeDetails } from '../../../src/access/account-details.ts'
import { createAccount, findAccount, renameAccount, suspendAccount } from '../../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../../src/access/closing.ts'
import { confirmViewer } from '../../../src/access/confirm-viewer.ts'
import { payingKey, renewConsoleKey } from '../../../src/access/console-key.ts'
import { countUsableKeys } from '../../../src/access/key-listing.ts'
import {
  changeKey,
  createKey,
  freeKeyName,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/access/keys.ts'
import { resetOperator } from '../../../src/access/operator-reset.ts'
import { type Passwords, setPassword } from '../../../src/access/passwords.ts'
import { endSession, openSession, type SessionOwner } from '../../../src/access/session-rows.ts'
import { createSessions } from '../../../src/access/sessions.ts'
import { createSignInEvents } from '../../../src/access/sign-in-events.ts'
import {
  consumeLink,
  makeInvitation,
  makeOperatorsLink,
  makeToken,
  storeInvitations,
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
import { newPerson, ownerAtConsole, personAtConsole } from '../../support/people.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { temporary } from '../../support/temporary.ts'
import { atOnce, both, contestants, issuing, NOW, operator, type Race, race, testRaces } from './at-once.ts'

const HASH = '$argon2id$1'
const SETTINGS = { session_hours: 1, idle_hours: 1 } as ConsoleSettings
const VISITOR = { request_id: 'r', address: '203.0.113.7', user_agent: 'a browser' }
/** Another address, so that the two change no common row of known addresses. */
const ELSEWHERE = { ...VISITOR, address: '198.51.100.9' }
const OPERATOR = { side: 'operator', role: 'operator', session_id: 0, person_id: 0 } as const

const there = await contestants()
const { url, one, other, third } = there

const makeKey = (db: Db, { name }: Account, key_name = 'laptop') =>
  createKey(db, name, { name: key_name }, issuing)
const idOfKey = async (db: Db, account: Account) => String((await makeKey(db, account)).key.id)
const KEYS_LEFT = 'SELECT name, revoked_at_ms FROM keys WHERE account_id = $id ORDER BY id'
const actionsLeft = (action: string) => ({
  look: `SELECT count(*) AS count FROM actions WHERE account_id = $id AND action = '${action}'`,
  left: [1],
})
/** Without the work of real ones, because a wait for a lock lasts for some seconds at most. */
const passwords: Passwords = {
  hash: async (password) => `$argon2id$${password}`,
  verify: async (password, hash) => hash === `$argon2id$${password}`,
}

const sessionsOf = (db: Db) =>
  createSessions({
    db,
    passwords,
    rate: createSignInRate(() => NOW),
    events: createSignInEvents(),
    settings: () => SETTINGS,
    randomBytes: issuing.randomBytes,
    now: () => NOW,
    log: memoryLog().log,
  })
const ownerOf = (db: Db, { id }: Account) => ownerAtConsole(db, id)
const open = (db: Db, owner: SessionOwner) =>
  openSession(db, owner, {
    token: Buffer.from(issuing.randomBytes(32)).toString('base64url'),
    visitor: VISITOR,
    now_ms: NOW,
    settings: SETTINGS,
  })
const invite = async (db: Db, { name }: Account) => (await makeInvitation(db, name, issuing)).token
const useLink = (db: Db, _: Account, token: string) => consumeLink(db, token, { hash: HASH, now_ms: NOW })

/** Sets a password of an account, and opens a session. */
async function signIn(db: Db, account: Account, password: string) {
  const token = await invite(db, account)
  return (await sessionsOf(db).withLink({ token, password }, VISITOR)).viewer
}

const ACCOUNTS: Record<string, Race> = {
  'of two accounts that get the same name, the second is refused': {
    make: (db, { name }) => createAccount(db, { name: `${name}-b`, now_ms: NOW }),
    hold: operator,
    first: (db, { name }) => renameAccount(db, name, `${name}-c`),
    second: (db, { name }) => renameAccount(db, `${name}-b`, `${name}-c`),
    ends: ['done', 'invalid_request'],
  },
  'the name of a new account is refused to another': {
    hold: operator,
    first: (db, { name }) => createAccount(db, { name: `${name}-b`, now_ms: NOW }),
    second: (db, { name }) => renameAccount(db, name, `${name}-b`),
    ends: ['done', 'invalid_request'],
  },
  'a renamed account is not found by its old name': {
    first: (db, { name }) => renameAccount(db, name, `${name}-b`),
    second: (db, { name }) => suspendAccount(db, name, { now_ms: 0 }),
    ends: ['done', 'not_found'],
  },
  'an account is suspended once': {
    ...both((db, { name }) => suspendAccount(db, name, { now_ms: 0 })),
    ...actionsLeft('account.suspended'),
  },
  'a key that a person makes at another gateway while their account is suspended is refused': race({
    make: (db, { id }) => newPerson(db, { account_id: id, role: 'owner' }),
    first: (db, { name }) => suspendAccount(db, name, { now_ms: 0 }),
    second: (db, account, person_id) =>
      db.begin(async (tx) => {
        const at = { account_id: account.id, account: account.name, person_id }
        await confirmViewer(tx, { side: 'account', role: 'owner', session_id: 1, sees: 'account', ...at })
        await makeKey(tx, account)
      }),
    ends: ['done', 'conflict'],
    look: KEYS_LEFT,
    left: [],
  }),
  'an account is closed once': {
    ...both((db, { name }) => closeAccount(db, name, NOW)),
    ...actionsLeft('account.closed'),
  },
  'an account is opened again once': {
    make: (db, { name }) => suspendAccount(db, name, { now_ms: 0 }),
    ...both((db, { name }) => reopenAccount(db, name)),
    ...actionsLeft('account.resumed'),
  },
  'an account is erased once': {
    ...both((db, { name }) => startErasing(db, name, NOW)),
    ...actionsLeft('account.erased'),
  },
  'an account that is erased is not opened again': {
    first: (db, { name }) => startErasing(db, name, NOW),
    second: (db, { name }) => reopenAccount(db, name),
    ends: ['done', 'conflict'],
  },
  'an account that is erased gets no details': {
    first: (db, { name }) => startErasing(db, name, NOW),
    second: (db, { name }) => changeDetails(db, name, { note: 'x' }),
    ends: ['done', 'conflict'],
  },
  'an account that is closed gets no invitation': {
    first: (db, { name }) => closeAccount(db, name, NOW),
    second: invite,
    ends: ['done', 'conflict'],
  },
  'an account that is closed gets no key': {
    first: (db, { name }) => closeAccount(db, name, NOW),
    second: (db, account) => makeKey(db, account),
    ends: ['done', 'conflict'],
    look: KEYS_LEFT,
    left: [],
  },
}

const KEYS: Record<string, Race> = {
  'a key with a name is made once': {
    ...both((db, account) => makeKey(db, account)),
    ends: ['done', 'invalid_request'],
    look: KEYS_LEFT,
    left: ['laptop', null],
  },
  'keys without a name get different ones': {
    ...both((db, account) =>
      db.begin(async (tx) => makeKey(tx, account, await freeKeyName(tx, account.id, NOW))),
    ),
    look: KEYS_LEFT,
    left: ['key-1', null, 'key-2', null],
  },
  'of two keys that get the same name, the second is refused': race({
    make: async (db, account) => [
      await idOfKey(db, account),
      String((await makeKey(db, account, 'phone')).key.id),
    ],
    first: (db, _, [laptop = '']) => changeKey(db, laptop, { name: 'mine' }, NOW),
    second: (db, _, [, phone = '']) => changeKey(db, phone, { name: 'mine' }, NOW),
    ends: ['done', 'invalid_request'],
  }),
  'a key that is revoked is not changed': race({
    make: idOfKey,
    first: (db, _, laptop) => revokeKey(db, laptop, NOW),
    second: (db, _, laptop) => changeKey(db, laptop, { name: 'mine' }, NOW),
    ends: ['done', 'invalid_request'],
  }),
  'a key is revoked once': race({
    make: idOfKey,
    ...both((db, _, laptop: string) => revokeKey(db, laptop, NOW)),
    ...actionsLeft('key.revoked'),
  }),
  'a key is rotated once': race({
    make: idOfKey,
    ...both((db, _, laptop: string) => rotateKey(db, laptop, 60, issuing)),
    ends: ['done', 'invalid_request'],
  }),
  'the key that pays for calls from the console is made once': {
    ...both((db, account) => payingKey(db, { account, person_id: null }, issuing)),
    look: KEYS_LEFT,
    left: ['console', null],
  },
  'the key that pays for calls from the console is renewed once': {
    async make(db, account) {
      const { id } = await payingKey(db, { account, person_id: null }, issuing)
      await revokeKey(db, String(id), NOW)
    },
    ...both((db, account) => renewConsoleKey(db, { account, person_id: null }, issuing)),
    look: KEYS_LEFT,
    left: ['console', NOW, 'console', null],
  },
}

const [FIRST, SECOND, THIRD] = ['the first password', 'the second password', 'the third password']

const SIGNING_IN: Record<string, Race> = {
  'a link is used once': race({ make: invite, ...both(useLink), ends: ['done', 'not_found'] }),
  'a link that was replaced is not used': race({
    make: invite,
    first: invite,
    second: useLink,
    ends: ['done', 'not_found'],
  }),
  'an account that an import and the operator invite at once has one owner': {
    hold: operator,
    first: (db, { id: account_id, name }) =>
      db.begin(async (tx) => {
        await tx.lock(null)
        const token = makeToken(issuing.randomBytes)
        await storeInvitations(tx, [{ account_id, name, token, expires_at_ms: NOW + 1 }], NOW)
      }),
    second: invite,
    look: 'SELECT count(*) AS count FROM memberships WHERE account_id = $id',
    left: [1],
  },
  'the operator has one link': {
    hold: operator,
    ...both((db) => makeOperatorsLink(db, issuing)),
    look: 'SELECT count(*) AS count FROM sign_in_links JOIN people ON people.id = person_id WHERE account_id IS NULL',
    left: [1],
  },
  'a reset ends the sessions of the operator': {
    async make(db) {
      const { token } = await makeOperatorsLink(db, issuing)
      await sessionsOf(db).withLink({ token, password: FIRST }, VISITOR)
    },
    hold: operator,
    first: (db) => sessionsOf(db).withPassword({ who: undefined, password: FIRST }, ELSEWHERE),
    second: (db) => resetOperator(db, issuing),
    look: 'SELECT count(*) AS count FROM sessions WHERE account_id IS NULL',
    left: [0],
  },
  'a person has one password': race({
    make: (db, { id }) => personAtConsole(db, id),
    first: (db, _, person_id: number) => setPassword(db, { person_id, hash: HASH, now_ms: NOW }),
    second: (db, _, person_id: number) => setPassword(db, { person_id, hash: `${HASH}2`, now_ms: NOW }),
    look: 'SELECT hash FROM passwords JOIN people ON people.id = person_id WHERE account_id = $id',
    left: [`${HASH}2`],
  }),
  'a password is changed once': race({
    make: (db, account) => signIn(db, account, FIRST),
    first: (db, _, viewer) =>
      sessionsOf(db).changePassword(viewer, { old_password: FIRST, new_password: SECOND }, VISITOR),
    second: (db, _, viewer) =>
      sessionsOf(db).changePassword(viewer, { old_password: FIRST, new_password: THIRD }, VISITOR),
    ends: ['done', 'permission_denied'],
  }),
  'nobody signs in with the password that was changed': race({
    make: (db, account) => signIn(db, account, FIRST),
    first: (db, _, viewer) =>
      sessionsOf(db).changePassword(viewer, { old_password: FIRST, new_password: SECOND }, VISITOR),
    second: (db, { name }) => sessionsOf(db).withPassword({ who: name, password: FIRST }, VISITOR),
    ends: ['done', 'unauthenticated'],
  }),
  'a session that is opened before the account is closed ends with it': race({
    make: ownerOf,
    first: (db, _, owner) => open(db, owner),
    second: (db, { name }) => closeAccount(db, name, NOW),
    look: 'SELECT count(*) AS count FROM sessions WHERE account_id = $id',
    left: [0],
  }),
  'nobody signs in by a key that was revoked': race({
    make: async (db, account) => (await makeKey(db, account)).key,
    first: (db, _, key) => revokeKey(db, String(key.id), NOW),
    second: (db, account, key) => sessionsOf(db).withKey(() => ({ key, account }), VISITOR),
    ends: ['done', 'unauthenticated'],
  }),
  'a session is ended once': race({
    make: async (db, account) => await open(db, await ownerOf(db, account)),
    hold: (tx, _, { id }) => tx.rows('SELECT 1 FROM sessions WHERE id = $id FOR UPDATE', { id }),
    ...both((db, _, { id }: { id: number }) => endSession(db, OPERATOR, id)),
    ends: ['done', 'not_found'],
    ...actionsLeft('session.ended'),
  }),
}

/** Adds a response, which may continue another one. @throws Error if that is gone */
async function respond(db: Db, { id: account_id }: Account, id: string, previous_id?: string): Promise<void> {
  const kept = { id, account_id, previous_id, created_at_ms: NOW, input: [], response: {} }
  const columns = { body: Buffer.from(id), body_file: null, kept_bytes: 1 }
  if (!(await insertRow(db, kept, columns))) throw new Error('gone')
}

/** Deletes a response. @throws Error if it is not found */
async function remove(db: Db, { id: account_id }: Account, response_id: string): Promise<void> {
  const named = { account_id, response_id, expired_by_ms: 0 }
  if (!(await db.begin((tx) => deleteNamed(tx, named, 0)))) throw new Error('not found')
}

/** A race for the response `one` of a conversation. @param left id, later, deleted of each response */
const meeting = (
  ids: readonly string[],
  [first, second]: readonly [Race['first'], Race['first']],
  left: unknown[],
  ends: Race['ends'] = ['done', 'done'],
): Race => ({
  async make(db, account) {
    for (const [at, id] of ids.entries()) await respond(db, account, id, ids[at - 1])
    if (ids.includes('two')) await remove(db, account, 'one')
  },
  hold: (tx, { id }) =>
    tx.rows("SELECT 1 FROM responses WHERE account_id = $id AND response_id = 'one' FOR UPDATE", { id }),
  first,
  second,
  ends,
  look: 'SELECT response_id, later, deleted FROM responses WHERE account_id = $id ORDER BY response_id',
  left,
})

const removing =
  (id: string): Race['first'] =>
  (db, account) =>
    remove(db, account, id)
const continuing =
  (id: string): Race['first'] =>
  (db, account) =>
    respond(db, account, id, 'one')

const RESPONSES: Record<string, Race> = {
  'a response that is continued stays, though it is deleted': meeting(
    ['one'],
    [continuing('next'), removing('one')],
    ['next', 0, 0, 'one', 1, 1],
  ),
  'a response that is deleted is not continued': meeting(
    ['one'],
    [removing('one'), continuing('next')],
    [],
    ['done', 'gone'],
  ),
  'a response is deleted once': meeting(
    ['one'],
    [removing('one'), removing('one')],
    [],
    ['done', 'not found'],
  ),
  'a response that is continued twice counts both': meeting(
    ['one'],
    [continuing('a'), continuing('b')],
    ['a', 0, 0, 'b', 0, 0, 'one', 2, 0],
  ),
  'a response that was kept for another goes with that unless it is continued meanwhile': meeting(
    ['one', 'two'],
    [continuing('next'), removing('two')],
    ['next', 0, 0, 'one', 1, 1],
  ),
  'a response that is deleted while the last that continues it goes, goes, too': meeting(
    ['one', 'next'],
    [removing('next'), removing('one')],
    [],
  ),
  'a response that is deleted goes with the last that continues it': meeting(
    ['one', 'next'],
    [removing('one'), removing('next')],
    [],
  ),
  'a response that went with another is not continued': meeting(
    ['one', 'two'],
    [removing('two'), continuing('next')],
    [],
    ['done', 'gone'],
  ),
}

const OPERATORS: Record<string, Race> = {
  'an alert is raised once': {
    hold: operator,
    ...both((db, { name: subject }) =>
      writeConditions(db, [{ rule: 'low_balance', subject, account_id: null, sentence: 'It is low.' }], {
        checked_rules: new Set(['low_balance']),
        now_ms: NOW,
        newWebhookId: () => `msg_${crypto.randomUUID()}`,
      }),
    ),
    look: 'SELECT count(*) AS count FROM alerts WHERE subject = $name',
    left: [1],
  },
  'a text of the catalogue is kept once': {
    hold: operator,
    ...both((db, { name }) =>
      db.begin((tx) => keepText(tx, { text: name, made_by: 'file', made_at_ms: NOW })),
    ),
    look: 'SELECT count(*) AS count FROM catalogues WHERE text = $name',
    left: [1],
  },
}

testRaces(there, {
  accounts: ACCOUNTS,
  keys: KEYS,
  'signing in': SIGNING_IN,
  'kept responses': RESPONSES,
  'the operator': OPERATORS,
})

test.if(hasPostgres)('of two uploads that fit alone, but not together, one is stored', async () => {
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
      await intake.add({ filename: 'cat.png', content: new Blob([PNG]).stream() })
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

test.if(hasPostgres)('two answers that need room displace one older answer each', async () => {
  const { id } = await createAccount(one, { name: 'dan', now_ms: NOW })
  using folder = temporary()
  const keep = keeperOf(one, id, folder.path, 1)
  await keep('a')
  await keep('b')
  const keepThere = keeperOf(other, id, folder.path, 2)
  const hold = (tx: Tx) =>
    tx.rows("SELECT 1 FROM idempotency_keys WHERE account_id = $id AND key = 'a' FOR UPDATE", { id })
  expect(await atOnce(third, hold, [() => keep('c'), () => keepThere('d')])).toEqual(['done', 'done'])
  const kept = await third.rows<{ key: string }>(
    'SELECT key FROM idempotency_keys WHERE account_id = $id AND kept_bytes > 0 ORDER BY key',
    { id },
  )
  expect(kept.map(({ key }) => key)).toEqual(['c', 'd'])
})

test.if(hasPostgres)('two keys made at once do not exceed the limit of keys', async () => {
  const { id: account_id, name } = await createAccount(one, { name: 'tom', now_ms: NOW })
  await one.write((db) =>
    db.rows(
      `INSERT INTO keys (account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
       SELECT ${account_id}, 'of ' || n, 'tg_' || n, sha256(('key ' || n)::bytea), 0, 0, 0
       FROM generate_series(2, ${MAX_USABLE_KEYS}) AS n`,
    ),
  )
  const person_id = await personAtConsole(one, account_id)
  const issue = (db: Db) => () =>
    issueKey(
      {
        db,
        calls: { now: () => NOW },
        people: { randomBytes: issuing.randomBytes, page_calls: { take: () => ({ admitted: true }) } },
      } as unknown as Gateway,
      {
        viewer: {
          side: 'account',
          role: 'owner',
          session_id: 1,
          person_id,
          account_id,
          account: name,
          sees: 'account',
        },
        origin: {
          request_id: 'r',
          request: new Request('http://localhost'),
          sockets: () => undefined,
        } as unknown as CallOrigin,
      },
      {},
    )
  const [, second] = await atOnce(third, (tx) => tx.lock(account_id), [issue(one), issue(other)])
  // The first is made, but returning it would take a whole gateway.
  expect(second).toBe('conflict')
  expect(await countUsableKeys(third, account_id, NOW)).toBe(MAX_USABLE_KEYS)
})

/** A first start that stops before it tops up its account. */
function halfwayStart(db: Db) {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const start = () =>
    firstStart({
      db,
      ledger: {
        async submit() {
          started.resolve()
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
      return Promise.race([started.promise, text])
    },
    async end() {
      gate.resolve()
      return await text
    },
  }
}

test.if(hasPostgres)('two first starts at once make one account, and one of them its key', async () => {
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
  const { consumeLink } = await import(${JSON.stringify(`${import.meta.dir}/../../../src/access/sign-in-links.ts`)})
  await using db = await openPostgres(url)
  console.log('opened')
  for await (const _ of console) break
  console.log(await consumeLink(db, token, { hash, now_ms: ${NOW} }).then(() => 'done', ({ kind }) => kind))`

/** Starts a process. @returns a function that lets it use the link, and throws the kind of its failure */
async function taker(token: string, hash: string): Promise<() => Promise<void>> {
  const child = Bun.spawn([process.execPath, '-e', TAKER, url, token, hash], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  expect((await output.read()).value).toBe('opened\n')
  return async () => {
    await child.stdin.write('\n')
    await child.stdin.end()
    const { value = '' } = await output.read()
    await child.exited
    if (value !== 'done\n') throw new Error(value.trim())
  }
}

test.if(hasPostgres)('of two processes with the same link one uses it, and sets its password', async () => {
  const { id, name } = await createAccount(one, { name: 'eve', now_ms: NOW })
  const { token } = await makeInvitation(one, name, issuing)
  const takers = await Promise.all([taker(token, HASH), taker(token, `${HASH}2`)])
  expect(await atOnce(third, (tx) => tx.lock(id), takers)).toEqual(['done', 'not_found'])
  expect(
    await third.rows<object>(
      'SELECT hash FROM passwords JOIN people ON people.id = person_id WHERE account_id = $id',
      { id },
    ),
  ).toEqual([{ hash: HASH }])
})

test.if(hasPostgres)(
  'while an account is locked the ledger waits, and a row that only refers to it does not',
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

test.if(hasPostgres)('only a transaction can take a lock', async () => {
  expect('lock' in one).toBe(false)
  expect(await findAccount(one, 'nobody')).toBeUndefined()
})
