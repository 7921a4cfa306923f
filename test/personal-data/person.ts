// A person with an account: calls, uploads and images over a real gateway, with a marker in every text.
import { expect } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FileStores, fileStoresOf } from '../../src/app/process/files/stores.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { answerHere } from '../backups/support.ts'
import { filesLines } from '../support/files.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'

/** A word in every text and name of the person. */
export const MARKER = 'Zephyrine'
/** The name of the person's account. */
export const ALICE = `${MARKER}@example.com`

export interface Person extends AsyncDisposable {
  gateway: GatewayProcess
  files: FileStores
  key: string
  other_key: string
  post(path: string, body: object | FormData, key?: string): Promise<Response>
  /** Runs a command beside the gateway that must succeed. @returns its JSON */
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
  tollgate(...args: string[]): Promise<any>
}

const ANSWER_FILE = '0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1'

/** So long that the response is stored in a file. */
const LONG = `${MARKER} `.repeat(20_000)

/** A gateway with the simulator, and a person who has used every part of it. @param bucket the place of its files; absent: its folder */
export async function startWithPerson(bucket?: Bucket): Promise<Person> {
  const storage = bucket ? `\n[storage]\n${filesLines(bucket)}` : ''
  const gateway = await startGatewayProcess(FIRST_CATALOGUE + storage, { accounts: 2, balance_usd: '5' })
  const [key = '', other_key = ''] = gateway.keys
  const post = (path: string, body: object | FormData, sent_key = key) =>
    fetch(new URL(path, gateway.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sent_key}`,
        'idempotency-key': sent_key === key ? `${MARKER}-${crypto.randomUUID()}` : crypto.randomUUID(),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
  const tollgate = (...args: string[]) => answerHere([...args, '--data', gateway.data_folder])
  const person = {
    gateway,
    files: fileStoresOf({ files: bucket }, gateway.data_folder),
    key,
    other_key,
    post,
    tollgate,
    [Symbol.asyncDispose]: gateway[Symbol.asyncDispose],
  }
  await use(person)
  await writeRows(person)
  return person
}

async function use({ post, other_key }: Person): Promise<void> {
  const ok = async (response: Promise<Response>) => {
    const text = await (await response).text()
    expect([(await response).status, text]).toEqual([200, expect.any(String)])
    return JSON.parse(text)
  }
  const chat = (content: string) => ({ model: 'sim-gpt', messages: [{ role: 'user', content }] })
  await ok(post('/v1/chat/completions', chat(`I am ${MARKER}`)))
  await ok(post('/v1/chat/completions', chat('I am somebody else'), other_key))
  const image = await ok(
    post('/v1/images/generations', { model: 'sim-image', prompt: `${MARKER} at sea`, size: '256x256' }),
  )
  const form = new FormData()
  const png = Buffer.from(image.data[0].b64_json, 'base64')
  form.append('files', new Blob([png], { type: 'image/png' }), `${MARKER}.png`)
  await ok(post('/api/v1/upload', form))
  const first = await ok(post('/v1/responses', { model: 'sim-gpt', input: LONG }))
  await ok(post('/v1/responses', { model: 'sim-gpt', input: MARKER, previous_response_id: first.id }))
  await ok(post('/v1/responses', { model: 'sim-gpt', input: 'somebody else' }, other_key))
}

/** Adds data that these calls do not leave: names, a note, a sign-in, messages of a provider, an answer stored in a file. */
async function writeRows({ gateway, files, tollgate }: Person): Promise<void> {
  await tollgate('account', 'rename', 'account-1', ALICE)
  const details = ['--display-name', `${MARKER} Ö.`, '--email', ALICE, '--note', `${MARKER} pays late`]
  await tollgate('account', 'change', ALICE, ...details)
  await tollgate('credit', ALICE, '1', '--note', `invoice for ${MARKER}`)
  await tollgate('key', 'create', ALICE, '--name', `${MARKER}-desk`, '--addresses', '203.0.113.77')
  const db = openDatabase(join(gateway.data_folder, 'tollgate.db'))
  db.run(`
    INSERT INTO people VALUES (11, 1, '${MARKER} Ö.', 'alice.${MARKER.toLowerCase()}@example.com', 0, NULL, 0);
    INSERT INTO memberships VALUES (11, 11, 1, 'owner', 0);
    INSERT INTO identities VALUES (1, 11, 'https://id.example', 's-${MARKER}', 'id', '${MARKER}@example.com', 0, 0);
    INSERT INTO sessions VALUES (NULL, randomblob(32), 'account', 1, NULL, '203.0.113.77', '${MARKER} Browser', 0, 0, 9e15, 11, 'identity', 0, 1, 's-${MARKER}');
    INSERT INTO passkeys VALUES (NULL, 11, randomblob(16), randomblob(77), 3, '["internal"]', '${MARKER} laptop', 0, 5);
    INSERT INTO refusals SELECT NULL, account_id, min(id), 'req_' || account_id, 0, 'chat', NULL, 404, 'model_not_found', iif(account_id = 1, '${MARKER}', 'none')
      FROM keys GROUP BY account_id;
    INSERT INTO holds SELECT 1000 + account_id, account_id, min(id), 'req_' || account_id, 1, 'expired', 0, 0, NULL, 0, NULL FROM keys GROUP BY account_id;
    INSERT INTO passwords VALUES (NULL, '$argon2id$${MARKER}', 0, 11);
    INSERT INTO actions (created_at_ms, action, actor, session_id, address, person_id, account_id) VALUES
      (0, 'session.started', 'account', 1, '203.0.113.77', 11, 1), (0, 'account.suspended', 'operator', 2, '203.0.113.78', 12, 1);
    INSERT INTO alerts VALUES (NULL, 'low_balance', '${MARKER}', 1, '${MARKER} has no balance left.', 0, NULL, NULL);
    INSERT INTO alert_sendings VALUES (NULL, 1, 1, 'raised', 'msg_1', 0, 1, NULL, 0, 204, NULL);
    INSERT INTO mails VALUES (NULL, 1, 'invitation:${MARKER}', 'invitation', json_object('account', '${MARKER}'), '${MARKER}@example.com', 'en',
      '/console/invitation#${MARKER}', 9, 'm1', 'queued', 1, 0, 9, NULL, '${MARKER}');
    INSERT INTO mail_recipients VALUES (NULL, 1, '${MARKER}@example.com', 't-${MARKER}', 5);
    INSERT INTO invitations VALUES (NULL, 1, 'friend-${MARKER}@example.com', 'member', randomblob(32), 1, 11, 0, 9e15);
    UPDATE keys SET person_id = 11 WHERE account_id = 1;
    INSERT INTO plan_periods VALUES (1, 1, 'ended', 'pro', 'Pro', 20, 10, '["*"]', '{"day":5}', NULL, 0, NULL, 0, 1, 0, 9, 9, 1, NULL, 0, 0, 'stripe', 'EUR', 0);
    INSERT INTO sign_up_codes VALUES (1, randomblob(32), NULL, 1, 1, 0, 9, NULL);
    INSERT INTO sign_ups VALUES (NULL, 1, '${MARKER}@example.com', 'mail', NULL, '203.0.113.77', 1, 1, 0, 9, 5);
    INSERT INTO terms_acceptances VALUES (NULL, 1, 11, 'https://example.com/${MARKER}', '2026-11', 5);
    INSERT INTO orders (id, account_id, person_id, kind, provider, reference, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state,
      created_at_ms, changed_at_ms, expires_at_ms, receipt_url, is_live, request_key)
      VALUES (1, 1, 11, 'top_up', 'stripe', 'cs_1', 'EUR', 2500, 1, 1, 0, 'paid', 0, 5, 9, 'https://pay.example/${MARKER}', 1, '${MARKER}');
    INSERT INTO order_refunds VALUES (NULL, 1, 1, 500, 1, 0, 'asked by ${MARKER}', 'begun', NULL, 0, 0, NULL);
    INSERT INTO payment_customers VALUES (NULL, 1, 'stripe', 1, 'cus_1', 'cs_${MARKER}', 'pm_${MARKER}', 'visa', '4242', '2030-01', 11, 5, 0);
    INSERT INTO account_suspensions VALUES (NULL, 1, 'operator', 'as ${MARKER} wished', 0);
    INSERT INTO automatic_top_ups VALUES (NULL, 1, 0, 5, 'stripe', 'EUR', 1000, 2000, NULL, 3, 'declined: ${MARKER}', 'failures', 0, 5);
    INSERT INTO state_changes VALUES (NULL, 'orders', 1, 1, 'open', 'paid', 'webhook', json_object('payer', '${MARKER}'), 5);
    INSERT INTO referral_links VALUES (1, 1, 'abc', 0);
    INSERT INTO referrals VALUES (1, 1, 2, 0);
    INSERT INTO voucher_batches VALUES (1, 'fair', 0, 0);
    INSERT INTO vouchers VALUES (NULL, 1, 1, randomblob(32), '8FQ2', 5, 'redeemed', 0, NULL);
    UPDATE calls SET trace = json_object('failure', json_object('kind', '${MARKER}')) WHERE account_id = 1`)
  await files.answers.put(ANSWER_FILE, Buffer.from(`an answer to ${MARKER}`))
  db.run(`UPDATE idempotency_keys SET body = NULL, body_file = '${ANSWER_FILE}'
           WHERE id = (SELECT min(id) FROM idempotency_keys WHERE account_id = 1)`)
  db.close()
}

/** The paths in a folder that contain a text, in the bytes of a file or in its name. */
export function placesOf(folder: string, text: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return names
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(
      ({ entry, path }) => entry.name.includes(text) || (entry.isFile() && readFileSync(path).includes(text)),
    )
    .map(({ path }) => path.slice(folder.length + 1))
}

/** The data that must not change: amounts, by key and model, and all data of others. */
export function booksOf(data_folder: string): unknown {
  const db = openDatabase(join(data_folder, 'tollgate.db'), { readonly: true })
  try {
    const all = (sql: string) => db.query(sql).all()
    return {
      accounts: all('SELECT id, balance_nanos, held_nanos, debt_nanos, created_at_ms FROM accounts'),
      keys: all('SELECT id, account_id, spent_nanos, spend_limit_nanos FROM keys'),
      entries: all('SELECT id, account_id, kind, amount_nanos, call_id, created_at_ms FROM entries'),
      calls: all(
        'SELECT id, request_id, account_id, key_id, model, outcome, input_tokens, output_tokens, cost_nanos, price FROM calls',
      ),
      sums: all('SELECT * FROM call_sums'),
      others: all('SELECT * FROM responses WHERE account_id = 2'),
      refusals: all('SELECT id, account_id, key_id FROM refusals WHERE account_id = 2'),
      notes: all('SELECT id, note FROM entries WHERE account_id = 2'),
      names: all('SELECT name, prefix, sha256 FROM keys WHERE account_id = 2'),
    }
  } finally {
    db.close()
  }
}
