// What two gateways change at the same moment, of which nothing is lost: neither another's change, nor what the ledger wrote, nor a sum.
import { afterAll, describe, expect, test } from 'bun:test'
import { END_AFTER_MS } from '../../../plugins/alerts/steps.ts'
import { writeConditions } from '../../../plugins/alerts/store.ts'
import { beginErasing } from '../../../plugins/personal-data/closing.ts'
import { addSums } from '../../../plugins/refusals/writing.ts'
import { changeDetails } from '../../../src/access/account-details.ts'
import { createAccount, renameAccount } from '../../../src/access/accounts.ts'
import { closeAccount } from '../../../src/access/closing.ts'
import { changeKey, createKey, rotateKey } from '../../../src/access/keys.ts'
import { openSession, signOut } from '../../../src/access/session-rows.ts'
import { lockedAccount } from '../../../src/app/surface/console/references.ts'
import type { ConsoleSettings, ResponseSettings } from '../../../src/domain/catalogue.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { insertRow } from '../../../src/responses/rows.ts'
import { createKeptResponses } from '../../../src/responses/store.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { answerTo } from '../../kept-responses/support.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { folderOfFile } from '../../support/test-folder.ts'
import { atOnce, type Hold } from './at-once.ts'

const NOW = 1_700_000_000_000
const issuing = {
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  now_ms: NOW,
}

const { url, db: third } = await databaseOfFile()
const one = hasPostgres ? await openPostgres(url) : third
const other = hasPostgres ? await openPostgres(url) : third
afterAll(async () => {
  for (const db of [one, other]) await db.close()
})
const folder = folderOfFile()

/** An account of the case's own, with a key. */
interface Own {
  id: number
  name: string
  key_id: number
}

type Work = (db: Db, own: Own) => Promise<unknown>

interface Case {
  make?: Work
  /** What both wait for; absent: the account. */
  hold?: (tx: Tx, own: Own) => unknown
  first: Work
  second: Work
  ends?: [string, string]
  /** What is there then, as a text of SQL in which `$id` is the number of the account; and its values. */
  look: string
  left: unknown[]
}

const both = (work: Work): Pick<Case, 'first' | 'second'> => ({ first: work, second: work })
const operator: Hold = (tx) => tx.lock(null)

/** As the ledger changes an account. */
const ledger =
  (...texts: string[]): Work =>
  (db, { id, key_id }) =>
    db.begin(async (tx) => {
      await tx.lock(id)
      for (const text of texts) await tx.rows(text, text.includes('$key_id') ? { id, key_id } : { id })
    })

const ACCOUNTS: Record<string, Case> = {
  'details of an account': {
    first: (db, { name }) => changeDetails(db, name, { display_name: 'Ada' }),
    second: (db, { name }) => changeDetails(db, name, { note: 'a note' }),
    look: 'SELECT display_name, note FROM account_details WHERE account_id = $id',
    left: ['Ada', 'a note'],
  },
  'settings of a key': {
    first: (db, { key_id }) => changeKey(db, String(key_id), { name: 'desk' }, NOW),
    second: (db, { key_id }) => changeKey(db, String(key_id), { concurrent_calls: 7 }, NOW),
    look: 'SELECT name, concurrent_calls FROM keys WHERE account_id = $id',
    left: ['desk', 7],
  },
  'what a key spends while it is rotated: the new one may spend the rest': {
    first: ledger('UPDATE keys SET spent_nanos = 400 WHERE id = $key_id AND account_id = $id'),
    second: (db, { key_id }) => rotateKey(db, String(key_id), 60, issuing),
    look: 'SELECT spend_limit_nanos FROM keys WHERE account_id = $id ORDER BY id',
    left: [1_000, 600],
  },
  'a call that begins while its account is erased': {
    make: ledger('UPDATE accounts SET balance_nanos = 5 WHERE id = $id'),
    first: ledger(
      'UPDATE accounts SET held_nanos = 5 WHERE id = $id',
      `INSERT INTO holds (account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
       SELECT account_id, id, 'r', 5, 'pending', 0, 0 FROM keys WHERE id = $key_id AND account_id = $id`,
    ),
    second: (db, { name }) => beginErasing(db, name, NOW),
    ends: ['done', 'conflict'],
    look: 'SELECT status FROM accounts WHERE id = $id',
    left: ['active'],
  },
  'which account a page means by its number, though its name changes': {
    first: (db, { name }) => renameAccount(db, name, `${name}-b`),
    second: (db, { id }) =>
      db.begin(async (tx) => {
        const { name } = await lockedAccount(tx, String(id))
        await closeAccount(tx, name, NOW)
      }),
    look: 'SELECT status FROM accounts WHERE id = $id',
    left: ['suspended'],
  },
}

const SETTINGS = { session_hours: 1, idle_hours: 1 } as ConsoleSettings
const VISITOR = { address: undefined, user_agent: '' }

const LINES: Record<string, Case> = {
  'a sign-out is recorded once': {
    make: async (db, { id }) => {
      const more = { token: 'x'.repeat(43), visitor: VISITOR, now_ms: NOW, settings: SETTINGS }
      await openSession(db, { account_id: id, key_id: null }, more)
    },
    hold: (tx, { id }) => tx.rows('SELECT 1 FROM sessions WHERE account_id = $id FOR UPDATE', { id }),
    ...both(async (db, { id, name }) => {
      const [row] = await db.rows<{ id: number }>('SELECT id FROM sessions WHERE account_id = $id', { id })
      await signOut(db, { role: 'account', session_id: row?.id ?? 0, account_id: id, account: name })
    }),
    look: "SELECT count(*) AS count FROM actions WHERE account_id = $id AND action = 'session.ended'",
    left: [1],
  },
  'an alert is ended once': {
    make: async (db, own) => {
      await see(db, own, { is_low: true, after_ms: 0 })
      await see(db, own, { is_low: false, after_ms: 1 })
    },
    hold: operator,
    ...both((db, own) => see(db, own, { is_low: false, after_ms: END_AFTER_MS + 2 })),
    look: 'SELECT event FROM alert_sendings WHERE account_id = $id ORDER BY id',
    left: ['raised', 'ended'],
  },
  'refused requests are added up': {
    hold: refuse,
    ...both((db, own) => db.begin((tx) => refuse(tx, own))),
    look: 'SELECT span_s, refusals FROM refusal_sums WHERE account_id = $id ORDER BY span_s',
    left: [60, 6, 3_600, 6],
  },
  'kept responses each find room of their own': {
    make: async (db, { id: account_id }) => {
      for (const id of 'abc') {
        const kept = { id, account_id, previous_id: undefined, created_at_ms: NOW, input: [], response: {} }
        await insertRow(db, kept, { body: Buffer.from(id), body_file: null, kept_bytes: 340_000 })
      }
    },
    hold: (tx, { id }) =>
      tx.rows("SELECT 1 FROM responses WHERE account_id = $id AND response_id = 'a' FOR UPDATE", { id }),
    first: (db, { id }) => keep(db, id, 'd'),
    second: (db, { id }) => keep(db, id, 'e'),
    look: 'SELECT response_id FROM responses WHERE account_id = $id ORDER BY response_id',
    left: ['c', 'd', 'e'],
  },
}

const see = (
  db: Db,
  { id: account_id, name: subject }: Own,
  { is_low, after_ms }: { is_low: boolean; after_ms: number },
) =>
  writeConditions(db, is_low ? [{ rule: 'low_balance', subject, account_id, sentence: 'It is low.' }] : [], {
    looked_at: new Set(['low_balance']),
    now_ms: NOW + after_ms,
    newWebhookId: () => crypto.randomUUID(),
  })

function refuse(tx: Tx, { id: account_id, key_id }: Own): Promise<void> {
  return addSums(tx, [{ account_id, key_id, minute_s: 3_600, code: 'limit', refusals: 2 }])
}

/** Some 340,000 bytes, of which a megabyte has room for three. */
const keep = (db: Db, account_id: number, id: string) =>
  createKeptResponses({
    db,
    files: createFileStore(folder.path),
    settings: () => ({ store: true, days: 30, max_mb: 100, max_mb_per_account: 1 }) as ResponseSettings,
    now: () => NOW,
    probe: () => {},
  }).keep(answerTo(id, account_id, { text: 'x'.repeat(170_000), created_at_ms: NOW }))

let count = 0

describe.if(hasPostgres).each([
  ['what is not lost', ACCOUNTS],
  ['at the same moment', LINES],
] as const)('%s', (_, cases) => {
  test.each(Object.keys(cases))('%s', async (title) => {
    const { make, hold, first, second, ends = ['done', 'done'], look, left } = cases[title] as Case
    const name = `ada-${++count}`
    const { id } = await createAccount(one, { name, now_ms: NOW })
    const { key } = await createKey(one, name, { name: 'laptop', spend_limit_nanos: 1_000 }, issuing)
    const own = { id, name, key_id: key.id }
    await make?.(one, own)
    const works = [() => first(one, own), () => second(other, own)]
    expect(await atOnce(third, (tx) => (hold ? hold(tx, own) : tx.lock(id)), works)).toEqual(ends)
    const rows = await third.rows<object>(look, { id })
    expect(rows.flatMap((row) => Object.values(row))).toEqual(left)
  })
})
