// Changes by two gateways at the same moment: none is lost, neither one's own, nor a write of the ledger, nor a sum.
import { END_AFTER_MS } from '../../../plugins/alerts/steps.ts'
import { writeConditions } from '../../../plugins/alerts/store.ts'
import { startErasing } from '../../../plugins/personal-data/closing.ts'
import { addSums } from '../../../plugins/refusals/writing.ts'
import { changeDetails } from '../../../src/access/account-details.ts'
import { renameAccount } from '../../../src/access/accounts.ts'
import { closeAccount } from '../../../src/access/closing.ts'
import { changeKey, createKey, rotateKey } from '../../../src/access/keys.ts'
import { signOut } from '../../../src/access/session-rows.ts'
import { lockedAccount } from '../../../src/app/surface/console/references.ts'
import type { ConsoleSettings, ResponseSettings } from '../../../src/domain/catalogue.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { insertRow } from '../../../src/responses/rows.ts'
import { createKeptResponses } from '../../../src/responses/store.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import type { Account } from '../../../src/store/schema.ts'
import { answerTo } from '../../kept-responses/support.ts'
import { openSessionAt } from '../../support/people.ts'
import { folderOfFile } from '../../support/test-folder.ts'
import { both, contestants, issuing, NOW, operator, type Race, race, testRaces } from './at-once.ts'

const there = await contestants()
const folder = folderOfFile()

/** Makes a key with a limit. @returns its id */
const makeKey = async (db: Db, { name }: Account): Promise<number> =>
  (await createKey(db, name, { name: 'laptop', spend_limit_nanos: 1_000 }, issuing)).key.id

/** Changes an account as the ledger does. */
const ledger =
  (...texts: string[]) =>
  (db: Db, { id }: Account, key_id: number) =>
    db.begin(async (tx) => {
      await tx.lock(id)
      for (const text of texts) await tx.rows(text, { id, key_id })
    })

const ACCOUNTS: Record<string, Race> = {
  'details of an account': {
    first: (db, { name }) => changeDetails(db, name, { display_name: 'Ada' }),
    second: (db, { name }) => changeDetails(db, name, { note: 'a note' }),
    look: 'SELECT display_name, note FROM account_details WHERE account_id = $id',
    left: ['Ada', 'a note'],
  },
  'settings of a key': race({
    make: makeKey,
    first: (db, _, key_id) => changeKey(db, String(key_id), { name: 'desk' }, NOW),
    second: (db, _, key_id) => changeKey(db, String(key_id), { concurrent_calls: 7 }, NOW),
    look: 'SELECT name, concurrent_calls FROM keys WHERE account_id = $id',
    left: ['desk', 7],
  }),
  'the spending of a key while it is rotated: the new one may spend the rest': race({
    make: makeKey,
    first: ledger('UPDATE keys SET spent_nanos = 400 WHERE id = $key_id AND account_id = $id'),
    second: (db, _, key_id) => rotateKey(db, String(key_id), 60, issuing),
    look: 'SELECT spend_limit_nanos FROM keys WHERE account_id = $id ORDER BY id',
    left: [1_000, 600],
  }),
  'a call that begins while its account is erased': race({
    async make(db, account) {
      const key_id = await makeKey(db, account)
      await ledger('UPDATE accounts SET balance_nanos = 5 WHERE id = $id')(db, account, key_id)
      return key_id
    },
    first: ledger(
      'UPDATE accounts SET held_nanos = 5 WHERE id = $id',
      `INSERT INTO holds (account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms)
       SELECT account_id, id, 'r', 5, 'pending', 0, 0 FROM keys WHERE id = $key_id AND account_id = $id`,
    ),
    second: (db, { name }) => startErasing(db, name, NOW),
    ends: ['done', 'conflict'],
    look: 'SELECT status FROM accounts WHERE id = $id',
    left: ['active'],
  }),
  'the account that a page means by its id, though its name changes': {
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

const LINES: Record<string, Race> = {
  'a sign-out is recorded once': {
    make: async (db, { id }) => {
      const more = { token: 'x'.repeat(43), visitor: VISITOR, now_ms: NOW, settings: SETTINGS }
      await openSessionAt(db, id, more)
    },
    hold: (tx, { id }) => tx.rows('SELECT 1 FROM sessions WHERE account_id = $id FOR UPDATE', { id }),
    ...both(async (db, { id, name }) => {
      const [row] = await db.rows<{ id: number; person_id: number }>(
        'SELECT id, person_id FROM sessions WHERE account_id = $id',
        { id },
      )
      const { id: session_id, person_id } = row ?? { id: 0, person_id: 0 }
      await signOut(db, {
        side: 'account',
        role: 'owner',
        session_id,
        person_id,
        account_id: id,
        account: name,
        sees: 'account',
      })
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
  'refused requests are added up': race({
    make: makeKey,
    hold: refuse,
    ...both((db, account, key_id: number) => db.begin((tx) => refuse(tx, account, key_id))),
    look: 'SELECT span_s, refusals FROM refusal_sums WHERE account_id = $id ORDER BY span_s',
    left: [60, 6, 3_600, 6],
  }),
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
  { id: account_id, name: subject }: Account,
  { is_low, after_ms }: { is_low: boolean; after_ms: number },
) =>
  writeConditions(db, is_low ? [{ rule: 'low_balance', subject, account_id, sentence: 'It is low.' }] : [], {
    checked_rules: new Set(['low_balance']),
    now_ms: NOW + after_ms,
    newWebhookId: () => crypto.randomUUID(),
  })

function refuse(tx: Tx, { id: account_id }: Account, key_id: number): Promise<void> {
  return addSums(tx, [{ account_id, key_id, minute_s: 3_600, code: 'limit', refusals: 2 }])
}

/** Keeps a response of some 340,000 bytes, three of which fit into a megabyte. */
const keep = (db: Db, account_id: number, id: string) =>
  createKeptResponses({
    db,
    files: createFileStore(folder.path),
    settings: () => ({ store: true, days: 30, max_mb: 100, max_mb_per_account: 1 }) as ResponseSettings,
    now: () => NOW,
    probe: () => {},
  }).keep(answerTo(id, account_id, { text: 'x'.repeat(170_000), created_at_ms: NOW }))

testRaces(there, { 'no change is lost': ACCOUNTS, 'at the same moment': LINES })
