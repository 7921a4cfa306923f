// The export and the erasure of a person's data on PostgreSQL: the same rows as on SQLite, without any of their texts left in a table.
import { describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { eraseAccount } from '../../plugins/personal-data/erase.ts'
import { exportAccount } from '../../plugins/personal-data/export.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { copyAll } from '../../src/store/copying/copy-all.ts'
import { copiedTables } from '../../src/store/copying/tables.ts'
import type { Db } from '../../src/store/db.ts'
import { postgresTarget } from '../../src/store/engines/postgres/copy-target.ts'
import type { PostgresDb } from '../../src/store/engines/postgres/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { serverScrubbing } from '../../src/store/engines/postgres/scrubbing.ts'
import { fileScrubbing, type Scrubbing } from '../../src/store/engines/sqlite/scrubbing.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { entriesIn } from '../backups/support.ts'
import { ALL_TABLES } from '../support/all-tables.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'

/** A word in every text and name of the person. */
const MARKER = 'Zephyrine'
/** More rows than are read or written at once. */
const MANY = 1_100
const NUMBERS = `(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${MANY}) SELECT value FROM n)`
const HASH = '0'.repeat(64)

/** Rows of a person in every table of personal data, and rows of another account. */
const ROWS = [
  `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, '${MARKER}', 'active', 0, 0, 0, 0), (2, 'bert', 'active', 0, 0, 0, 0)`,
  `INSERT INTO account_suspensions VALUES (1, 1, 'operator', 'as ${MARKER} wished', 0), (2, 2, 'lost_dispute', '', 0)`,
  `INSERT INTO account_details VALUES (1, 1, '${MARKER}', '${MARKER}@example.com', 'pays late', 1, '${MARKER} Ltd')`,
  `INSERT INTO keys (id, account_id, name, prefix, sha256, models, addresses, spent_nanos, held_nanos, created_at_ms)
   SELECT value, 1 + value / 3, '${MARKER}', 'tg_' || value, randomblob(32), '["m"]', '["203.0.113.7"]', 0, 0, 0 FROM ${NUMBERS} WHERE value < 4`,
  `INSERT INTO people VALUES (1, 1, '${MARKER}', NULL, NULL, NULL, 0)`,
  `INSERT INTO memberships VALUES (1, 1, 1, 'owner', 0)`,
  `INSERT INTO passwords VALUES (1, '$argon2id$${MARKER}', 0, 1)`,
  `INSERT INTO identities VALUES (1, 1, 'https://id.example', 's-${MARKER}', 'id', '${MARKER}@example.com', 0, 0)`,
  `INSERT INTO sessions VALUES (1, zeroblob(32), 'account', 1, NULL, '203.0.113.7', '${MARKER} Browser', 0, 0, 9, 1, 'identity', 0, 1, 's-${MARKER}')`,
  `INSERT INTO passkeys VALUES (1, 1, zeroblob(16), zeroblob(77), 0, '[]', '${MARKER}', 0, NULL)`,
  `INSERT INTO known_addresses VALUES (1, '203.0.113.7', 0, 1)`,
  `INSERT INTO sign_in_links VALUES (1, zeroblob(32), 0, 9, 1, 'email', '${MARKER}@example.com')`,
  `INSERT INTO prices VALUES (1, zeroblob(32), '{"unit":"token"}')`,
  `INSERT INTO holds VALUES (9001, 1, 1, 'req_9001', 1, 'expired', 0, 0, NULL, 0, NULL)`,
  `INSERT INTO entries SELECT value, 1 + value % 2, 'top_up', 0, NULL, '${MARKER} ' || value, ${MANY} - value, '${MARKER} ' || value FROM ${NUMBERS}`,
  `INSERT INTO opening_debts VALUES (1, 1, 5, '${MARKER}', 0, 'user ${MARKER}'), (2, 2, 5, '', 0, NULL)`,
  `INSERT INTO orders (id, account_id, person_id, kind, provider, reference, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state,
     created_at_ms, changed_at_ms, expires_at_ms, receipt_url, is_live, request_key)
   VALUES (1, 1, 1, 'top_up', 'stripe', 'cs_1', 'EUR', 2500, 1, 1, 0, 'paid', 0, 5, 9, 'https://pay.example/${MARKER}', 1, '${MARKER}'),
     (2, 2, NULL, 'automatic', 'stripe', NULL, 'EUR', 2500, 1, 1, 0, 'open', 0, 0, 9, NULL, 1, NULL)`,
  `INSERT INTO order_refunds VALUES (1, 1, 1, 500, 1, 0, 'asked by ${MARKER}', 'begun', NULL, 0, 0, NULL)`,
  `INSERT INTO referral_links VALUES (1, 1, 'abc', 0)`,
  `INSERT INTO referrals VALUES (1, 1, 2, 0)`,
  `INSERT INTO voucher_batches VALUES (1, 'fair', 0, 0)`,
  `INSERT INTO vouchers VALUES (1, 1, 1, randomblob(32), '8FQ2', 5, 'redeemed', 0, NULL)`,
  `INSERT INTO payment_customers VALUES (1, 1, 'stripe', 1, 'cus_1', 'cs_${MARKER}', 'pm_${MARKER}', 'visa', '4242', '2030-01', 1, 5, 0), (2, 2, 'stripe', 1, 'cus_2', 'cs_2', NULL, NULL, NULL, NULL, NULL, NULL, 0)`,
  `INSERT INTO automatic_top_ups VALUES (1, 1, 0, 5, 'stripe', 'EUR', 1000, 2000, NULL, 3, 'declined: ${MARKER}', 'failures', 0, 5), (2, 2, 1, 5, 'stripe', 'EUR', 1000, 2000, 2, 0, NULL, NULL, 0, 5)`,
  `INSERT INTO state_changes VALUES (1, 'orders', 1, 1, 'open', 'paid', 'webhook', '{"payer":"${MARKER}"}', 5), (2, 'orders', 2, 2, 'open', 'open', 'page', '{"a":1}', 5)`,
  `INSERT INTO calls SELECT value, 'req_' || value, 1 + value % 2, 1, 's', 'm', 'p', 'u', 'failed', 500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     iif(value % 3 = 0, '{"unit":"unit"}', ''), value, NULL, 1, 1, 0, iif(value % 5 = 0, '', '{"failure":"${MARKER}"}'), NULL,
     iif(value % 3 = 1, 1, NULL), iif(value % 3 = 1, '{"units":1}', ''), NULL, NULL, 0, NULL, 0, NULL FROM ${NUMBERS}`,
  `INSERT INTO generations SELECT value, format('%036d', value), 1, 2, value, 'generation', 'stored', 'm', '${MARKER}', NULL, '[]',
     '1/' || value || '.png', 'image/png', 1, 1, 8, '${HASH}', 0, NULL, NULL FROM ${NUMBERS} WHERE value < 4`,
  `INSERT INTO files VALUES (1, 'files/1/${MARKER}.png', 1, '${MARKER}', 'stored', 'image/png', 1, '${HASH}', 1, 1, 0, NULL, NULL)`,
  `INSERT INTO refusals VALUES (1, 1, 1, 'req_1', 5, 'chat', NULL, 404, 'model_not_found', '${MARKER}'), (2, 1, 1, 'req_2', 4, 'chat', NULL, 404, 'model_not_found', '${MARKER}')`,
  `INSERT INTO idempotency_keys (id, account_id, key, request_sha256, request_id, after_hold_id, status, headers, body, body_file, created_at_ms, kept_bytes)
   VALUES (1, 1, '${MARKER}', zeroblob(32), 'req_1', 0, 200, '{}', NULL, 'a', 0, 9), (2, 1, 'k', zeroblob(32), 'req_2', 0, 200, '{}', x'ff${'41'.repeat(3)}', NULL, 0, 9)`,
  `INSERT INTO responses VALUES (1, 1, 'r1', NULL, 1, 0, CAST('${MARKER}' AS BLOB), NULL, 9, 9, 1, 0), (2, 1, 'r2', 1, 0, 0, NULL, 'b', 9, 18, 2, 0),
     (3, 2, 'r3', NULL, 0, 0, x'41', NULL, 1, 1, 1, 0)`,
  `INSERT INTO alerts VALUES (1, 'low_balance', '${MARKER}', 1, '${MARKER} has no balance left.', 0, NULL, NULL)`,
  `INSERT INTO alert_sendings VALUES (1, 1, 1, 'raised', 'msg_1', 0, 1, NULL, 0, 204, NULL)`,
  `INSERT INTO mails VALUES (1, 1, 'k1', 'invitation', '{"account":"${MARKER}"}', '${MARKER}@example.com', 'en', '/x#${MARKER}', 9, 'm1', 'queued', 1, 0, 9, NULL, '${MARKER}')`,
  `INSERT INTO mail_recipients VALUES (1, 1, '${MARKER}@example.com', 't-${MARKER}', 5)`,
  `INSERT INTO invitations VALUES (1, 1, 'friend-${MARKER}@example.com', 'member', zeroblob(32), 1, NULL, 0, 9)`,
  `INSERT INTO plan_periods VALUES (1, 1, 'ended', 'pro', 'Pro', 20, 10, '["*"]', '{"day":5}', NULL, 0, NULL, 0, 1, 0, 9, 9, 1, NULL, 0, 0, 'stripe', 'EUR', 0)`,
  `INSERT INTO sign_ups VALUES (1, 1, '${MARKER}@example.com', 'mail', NULL, '203.0.113.7', NULL, 1, 0, 9, 5)`,
  `INSERT INTO terms_acceptances VALUES (1, 1, 1, 'https://example.com/${MARKER}', '', 5)`,
  `INSERT INTO actions (id, created_at_ms, action, actor, address, account_id, before, after)
   VALUES (1, 0, 'account.changed', 'account', '203.0.113.7', 1, '{"email":"${MARKER}"}', NULL), (2, 0, 'account.changed', 'operator', '203.0.113.8', 1, NULL, '{"note":"${MARKER}"}')`,
  `INSERT INTO catalogues VALUES (1, '[limits.accounts.${MARKER}]', 0, 'file', 0), (2, '# nothing', 0, 'file', 0)`,
]
const BY: ActionContext = { actor: { kind: 'system' }, now_ms: 7 }
const FILES = [
  'images/1/1.png',
  'images/1/2.png',
  `files/1/${MARKER}.png`,
  'answers/a',
  'responses/b',
  'files/2/other.png',
]

interface Place {
  folder: TemporaryFolder
  db: Db
  scrubbing: Scrubbing
}

/** Runs work on both engines, each with a folder and a database with the same data of the person. */
async function onBoth<T>(work: (place: Place) => Promise<T>): Promise<{ here: T; there: T }> {
  using folder = temporary()
  using copy = temporary()
  makeEmptyDatabase(folder.at('tollgate.db'))
  for (const path of FILES) {
    mkdirSync(dirname(folder.at(path)), { recursive: true })
    writeFileSync(folder.at(path), `${MARKER} ${path}`)
  }
  cpSync(folder.path, copy.path, { recursive: true })
  await using db = openDb(folder.at('tollgate.db'), { by: BY })
  for (const text of ROWS) await db.write((within) => within.rows(text))
  return await onPostgres(db, async (server, url) => {
    using file = fileScrubbing(folder.at('tollgate.db'))
    using scrubbing = serverScrubbing(url, server)
    return {
      here: await work({ folder, db, scrubbing: file }),
      there: await work({ folder: copy, db: server, scrubbing }),
    }
  })
}

async function onPostgres<T>(from: Db, work: (db: PostgresDb, url: string) => Promise<T>): Promise<T> {
  const { name, url } = await makeDatabase()
  try {
    await using db = await openPostgres(url, { by: BY })
    await copyAll(from, postgresTarget(db))
    return await work(db, url)
  } finally {
    await dropDatabase(name)
  }
}

/** Erases the account, which has its name until the erasure has ended. */
const erase = (
  { folder, db, scrubbing }: Place,
  account = MARKER,
  probe: (point: string) => void = () => {},
) =>
  eraseAccount(db, {
    scrubbing,
    tables: ALL_TABLES,
    data_folder: folder.path,
    files: fileStoresOf({ files: undefined }, folder.path),
    account,
    now_ms: 7,
    probe,
  })

async function exportTexts({ folder, db }: Place): Promise<Record<string, string>> {
  const blocks: Uint8Array[] = []
  const { missing } = await exportAccount(db, {
    tables: ALL_TABLES,
    data_folder: folder.path,
    files: fileStoresOf({ files: undefined }, folder.path),
    account: MARKER,
    service: 'Acme AI',
    now_ms: 0,
    async put(content) {
      for await (const block of content) blocks.push(block)
      return 0
    },
  })
  const entries = await entriesIn(Buffer.concat(blocks))
  return Object.fromEntries([
    ['missing', missing.join()],
    ...entries.map(({ name, text }) => [name, String(text)]),
  ])
}

/** All rows, without the hashes of keys, which an erasure replaces by random bytes. */
async function rowsOf({ db }: Place): Promise<Record<string, string[]>> {
  const all = copiedTables().map(async ({ name, key }) => {
    const rows = await db.rows<object>(`SELECT * FROM "${name}" ORDER BY ${key.join()}`)
    return [name, rows.map(textOf)] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

const textOf = (row: object): string =>
  Object.entries(row)
    .filter(([name]) => name !== 'sha256')
    .map(([name, value]) => `${name}: ${value instanceof Uint8Array ? value.toHex() : value}`)
    .join(', ')

/** The rows of the person in an export. */
function expectExported(here: Record<string, string>): void {
  expect(here.missing).toBe('images/1/3.png')
  const lines = (name: string) => String(here[`${name}.jsonl`]).split('\n').length - 1
  expect([lines('calls'), lines('entries'), lines('keys')]).toEqual([MANY / 2, MANY / 2, 2])
  expect(here['state_changes.jsonl']).toContain(`"detail":{"payer":"${MARKER}"}`)
  expect(here['orders.jsonl']).toMatch(
    /"amount_minor":2500.*"receipt_url":"https:.*"person_id":1|"person_id":1.*"receipt_url":"https:/,
  )
  expect(here['payment_customers.jsonl']).toMatch(/"reference":"cus_.*"card_last4":"4242"/)
  expect(here['payment_customers.jsonl']).not.toContain('pm_')
  expect(here['order_refunds.jsonl']).toContain(`"reason":"asked by ${MARKER}"`)
  // In the order of their time, which has an index.
  expect(here['refusals.jsonl']).toMatch(/"at_ms":4.*\n.*"at_ms":5/)
  expect(here['idempotency_keys.jsonl']).toContain('"body":{"base64":"/0FBQQ=="}')
}

describe.if(hasPostgres)('a person', () => {
  test('is exported and then erased the same: bytes of the export, rows, counts, and the remaining data', async () => {
    const { here, there } = await onBoth(async (place) => {
      const exported = await exportTexts(place)
      const erased = await erase(place)
      return { exported, erased, rows: await rowsOf(place) }
    })
    expect(there).toEqual(here)
    expectExported(here.exported)
    expect(here.erased).toMatchObject({
      pseudonym: 'erased-1',
      files: 5,
      rows: {
        calls: 440,
        entries: MANY / 2,
        opening_debts: 1,
        orders: 1,
        order_refunds: 1,
        payment_customers: 1,
        automatic_top_ups: 1,
        state_changes: 1,
        keys: 2,
        generations: 3,
        actions: 3,
        catalogues: 1,
        responses: 2,
      },
    })
    expect(here.rows.keys?.map((key) => /prefix: [^,]+/.exec(key)?.[0])).toEqual([
      'prefix: erased-1',
      'prefix: erased-2',
      'prefix: tg_3',
    ])
  })

  test('is removed from the tables and from the server’s statistics of their columns', async () => {
    await onBoth(async (place) => {
      const { db } = place
      if (db.file) return
      // A key and entries of the other account have the word, too.
      await db.begin(async (tx) => {
        await tx.rows("UPDATE keys SET name = 'k' WHERE account_id = 2")
        await tx.rows('ALTER TABLE entries DISABLE TRIGGER entries_are_never_changed')
        await tx.rows("UPDATE entries SET note = '', request_key = NULL WHERE account_id = 2")
        await tx.rows('ALTER TABLE entries ENABLE TRIGGER entries_are_never_changed')
        await tx.rows("UPDATE calls SET trace = '' WHERE account_id = 2")
      })
      const [hex, statistics] = [
        Buffer.from(MARKER).toString('hex'),
        'most_common_vals::text, histogram_bounds::text',
      ]
      const found = async () => {
        const tables = await Promise.all(
          copiedTables().map(({ name }) =>
            db.rows(
              `SELECT '${name}' AS name FROM "${name}" AS t WHERE t::text LIKE '%${MARKER}%' OR t::text LIKE '%${hex}%' LIMIT 1`,
            ),
          ),
        )
        const known = await db.rows(
          // An older server keeps the statistics of tables without rows.
          `SELECT tablename, attname FROM pg_stats WHERE concat_ws(' ', ${statistics}) LIKE '%${MARKER}%'
             AND (current_setting('server_version_num')::bigint >= 180000 OR tablename IN ('accounts', 'keys', 'entries', 'calls'))`,
        )
        return [tables.flat().length, known.length]
      }
      await place.scrubbing.scrub(['entries', 'calls'])
      const [tables = 0, known = 0] = await found()
      expect([tables > 10, known >= 3]).toEqual([true, true])
      await erase(place)
      expect(await found()).toEqual([0, 0])
      const vacuumed =
        "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'tollgate' AND vacuum_count > 0"
      await eventually('the tables are vacuumed', async () => {
        const names = (await db.rows<{ relname: string }>(vacuumed)).map(({ relname }) => relname)
        return ['accounts', 'calls', 'generations', 'catalogues'].every((name) => names.includes(name))
      })
    })
  })

  test.each(['erase.generations', 'erase.rewritten'])(
    'whose erasure ended after "%s" is erased by a second run',
    async (last) => {
      const { here, there } = await onBoth(async (place) => {
        const ended = erase(place, MARKER, (point) => {
          if (point === last) throw new Error('ended')
        })
        await expect(ended).rejects.toThrow('ended')
        await erase(place)
        return await rowsOf(place)
      })
      expect(there).toEqual(here)
      expect(here.accounts?.join()).not.toContain(MARKER)
    },
  )
})
