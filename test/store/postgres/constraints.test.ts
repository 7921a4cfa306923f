// The constraints and triggers of the tables on PostgreSQL: they refuse what SQLite's refuse.
import { beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { SETTINGS } from '../../../src/store/engines/postgres/connection.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { FILLING, REFUSED_STATEMENTS } from '../refused-statements.ts'

/** Left out: PostgreSQL has another syntax for it, or rounds a number in the text of a statement (not one in a parameter). */
const LEFT_OUT = /INSERT OR REPLACE|\b[01]\.5\b/
/** These tables have no references to other rows: see store/engines/postgres/base.sql. */
const WITHOUT_REFERENCE: readonly string[] = [
  'UPDATE holds SET key_id = 9',
  'UPDATE holds SET account_id = 9',
  'UPDATE calls SET price_id = 9',
]
/** Functions of SQLite that only the tests use. */
const FUNCTIONS = `
  CREATE FUNCTION zeroblob(bytes int) RETURNS bytea LANGUAGE sql RETURN decode(repeat('00', bytes), 'hex');
  CREATE FUNCTION randomblob(bytes int) RETURNS bytea LANGUAGE sql
    RETURN decode(left(repeat(replace(gen_random_uuid()::text, '-', ''), 4), bytes * 2), 'hex');`

const CASES = REFUSED_STATEMENTS.flatMap(([table, refused]) =>
  refused.map(([name, text]) => ({ table, name, text: text as string })),
)
const COMPARED = CASES.filter(({ text }) => !LEFT_OUT.test(text))

test('only 9 statements are left out', () => {
  expect(CASES.length - COMPARED.length).toBe(9)
})

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('the tables refuse', () => {
  beforeAll(async () => {
    await using filling = new SQL({ url, max: 1, connection: SETTINGS })
    await filling.unsafe(FUNCTIONS + FILLING)
  })
  const rowsOf = (table: string) => db.rows(`SELECT * FROM ${table} ORDER BY 1, 2`)

  test.each(COMPARED.filter(({ text }) => !WITHOUT_REFERENCE.includes(text)))(
    '$table: $name',
    async ({ table, text }) => {
      const before = await rowsOf(table)
      expect(before.length > 0 || table === 'refusals').toBeTrue()
      const failing = db.begin((tx) => tx.rows(text))
      await expect(failing).rejects.toMatchObject({
        name: 'StatementError',
        code: expect.stringMatching(/^(23|22|P0001)/),
      })
      expect(await rowsOf(table)).toEqual(before)
    },
  )

  const ERASED = 'INSERT INTO erased_accounts VALUES (1, 0)'
  test.each([
    [
      'a file',
      "INSERT INTO files (key, account_id, name, state, mime, bytes, created_at_ms) VALUES ('files/1/a', 1, 'a', 'storing', 'image/png', 1, 0)",
    ],
    ['a response', "INSERT INTO responses VALUES (9, 1, 'r9', NULL, 0, 0, NULL, 'g', 7, 12, 1, 0)"],
    [
      'a kept answer',
      "INSERT INTO idempotency_keys (account_id, key, request_sha256, request_id, after_hold_id, created_at_ms) VALUES (1, 'k', zeroblob(32), 'r', 0, 0)",
    ],
    [
      'a session',
      "INSERT INTO sessions VALUES (9, randomblob(32), 'account', 1, NULL, NULL, '', 0, 0, 9, 2, NULL, NULL, NULL, NULL)",
    ],
    ['a person', "INSERT INTO people VALUES (9, 1, 'nina', NULL, NULL, NULL, 0)"],
    ['an identity', "INSERT INTO identities VALUES (9, 2, 'https://id.example', 'nina', 'id', NULL, 0, 0)"],
    ['an invitation', "INSERT INTO invitations VALUES (9, 1, 'n@o', 'member', sha256('n'), 1, NULL, 0, 9)"],
    ['a membership', "INSERT INTO memberships VALUES (9, 1, 1, 'owner', 0)"],
    ['a suspension', "INSERT INTO account_suspensions VALUES (9, 1, 'operator', '', 0)"],
    ['details', "INSERT INTO account_details VALUES (9, 1, '', '', '', 0, '')"],
    ['an alert', "INSERT INTO alerts VALUES (9, 'disk', 'x', 1, 'full', 5, NULL, NULL)"],
    [
      'a mail',
      "INSERT INTO mails VALUES (9, 1, 'k', 'test', '{}', 'a@b', 'en', NULL, NULL, 'm', 'queued', 0, 5, 6, NULL, NULL)",
    ],
    ['a subscription to notices', "INSERT INTO mail_recipients VALUES (9, 1, 'c@d', 't', NULL)"],
    ['a sign-up', "INSERT INTO sign_ups VALUES (9, 1, 'e@f', 'identity', NULL, NULL, NULL, 0, 5, 5, 5)"],
    ['accepted terms', "INSERT INTO terms_acceptances VALUES (9, 1, 2, 'https://example.com/terms', '', 6)"],
    [
      'an image',
      "INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms) VALUES ('00000000-0000-4000-8000-000000000000', 1, 1, 0, 'edit', 'failed', 'm', 'p', '[]', 0)",
    ],
  ])('%s of an erased account', async (_, text) => {
    const adding = (texts: string[]) =>
      db.begin(async (tx) => {
        for (const one of texts) await tx.rows(one)
        throw new Error('undone')
      })
    await expect(adding([text])).rejects.toThrow('undone')
    await expect(adding([ERASED, text])).rejects.toThrow('the account is erased')
  })

  const UNDO = 'undone'
  test.each<[string, string, string]>([
    ['the note of an entry', "UPDATE entries SET note = ''", UNDO],
    [
      'the amount of an entry beside it',
      "UPDATE entries SET note = '', amount_nanos = 111 WHERE id = 1",
      'append-only',
    ],
    ['another note', "UPDATE entries SET note = 'other'", 'append-only'],
    ['the note of an opening debt', "UPDATE opening_debts SET note = '', request_key = NULL", UNDO],
    [
      'the amount of a debt beside it',
      "UPDATE opening_debts SET note = '', request_key = NULL, amount_nanos = 1",
      'append-only',
    ],
    ['the details of a change of state', "UPDATE state_changes SET detail = '{}'", UNDO],
    ['its state beside them', "UPDATE state_changes SET detail = '{}', to_state = 'lost'", 'append-only'],
    ['its account beside them', "UPDATE state_changes SET detail = '{}', account_id = NULL", 'append-only'],
    ['a change of state', 'DELETE FROM state_changes', 'append-only'],
    ['all changes of states at once', 'TRUNCATE state_changes', 'append-only'],
    ['the personal data of an action', 'UPDATE actions SET before = NULL, address = NULL', UNDO],
    ['the actor of an action', "UPDATE actions SET before = NULL, actor = 'system'", 'append-only'],
    ['a recent action', 'DELETE FROM actions WHERE id = 2', 'append-only'],
    ['an action of 401 days ago', 'DELETE FROM actions WHERE id = 1', UNDO],
    ['all actions at once', 'TRUNCATE actions', 'append-only'],
  ])('a change for an erased account: %s', async (_, text, expected) => {
    const changing = db.begin(async (tx) => {
      const day_ms = 86_400_000
      await tx.rows(
        `INSERT INTO actions (id, created_at_ms, action, actor, account_id, before, address)
         VALUES (2, ${500 * day_ms}, 'key.revoked', 'account', 1, '{}', '::1'), (1, ${99 * day_ms}, 'key.revoked', 'account', 1, NULL, NULL)`,
      )
      await tx.rows(ERASED)
      await tx.rows(text)
      throw new Error(UNDO)
    })
    await expect(changing).rejects.toThrow(expected)
  })
})
