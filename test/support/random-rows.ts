// Random rows for every table within its constraints: the smallest and largest values, nulls, letters of all kinds.
import type { Database } from 'bun:sqlite'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { copiedTables } from '../../src/store/copying/tables.ts'
import type { Row, Value } from '../../src/store/copying/target.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { ALL_TABLES } from './all-tables.ts'

const MAX = Number.MAX_SAFE_INTEGER
const TEXTS = [
  '',
  'a',
  '0',
  'NULL',
  '{}',
  '{1,"2"}',
  '\\',
  '\\x00',
  '"',
  "'",
  'a,b',
  ' ä€𝄞 ',
  '\n\t\r',
  '\u0001\u007f',
  '👩‍👩‍👧',
  '\ufffd',
]
const JSON_TEXTS = [
  '{}',
  '[]',
  'null',
  '"\\u0000"',
  '{"a":1e400,"ü":["\\ud800",9007199254740993]}',
  ' [ 1 , 2 ] ',
]

/** The values that a table's constraints require, beyond the types of its columns. */
type Constrained = (context: { random: Random; at: number; id: number }) => Record<string, Value>

const either = <V extends Value>(random: Random, ...values: [V, ...V[]]): V => random.pick(values)
const bytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.below(256))
/** The id of a row in another table with the same number of rows. */
const other = (random: Random, id: number): number => 1 + random.below(id)
const hex64 = (random: Random): string => bytes(random, 32).toHex()
const unique = (at: number): string => `${TEXTS[at % TEXTS.length]}${at}`

const CONSTRAINED: Readonly<Record<string, Constrained>> = {
  gateways: ({ at }) => ({ version: `1.0.${at}` }),
  accounts: ({ random, at }) => {
    const balance_nanos = either(random, 0, 1, MAX)
    return {
      name: unique(at),
      status: either(random, 'active', 'suspended'),
      balance_nanos,
      held_nanos: either(random, 0, balance_nanos),
      price_group: either(random, null, 'resellers', 'ü'.repeat(64)),
    }
  },
  account_details: ({ id, random }) => ({ account_id: id, keys_see_account: random.below(2) }),
  closed_accounts: ({ id }) => ({ account_id: id }),
  account_suspensions: ({ id, random }) => ({
    account_id: id,
    reason: either(random, 'operator', 'lost_dispute'),
  }),
  erased_accounts: ({ id }) => ({ account_id: id }),
  keys: ({ random, id }) => ({
    account_id: other(random, id),
    sha256: bytes(random, 32),
    models: either(random, null, ...JSON_TEXTS),
    addresses: either(random, null, ...JSON_TEXTS),
    concurrent_calls: either(random, null, 1, 1_000_000),
    person_id: either(random, null, other(random, id)),
  }),
  budgets: ({ random, at, id }) => ({
    account_id: id,
    key_id: at % 2 === 0 ? null : id,
    person_id: at % 4 === 0 ? other(random, id) : null,
    plan_period_id: at % 4 === 2 ? id : null,
    period: either(random, '5h', 'day', 'week', 'month'),
  }),
  plan_periods: ({ random, id }) => {
    const price_nanos = either(random, 0, 1, MAX)
    return {
      account_id: other(random, id),
      state: either(random, 'ended', 'replaced', 'lapsed'),
      plan: 'pro',
      price_nanos,
      due_nanos: either(random, 0, price_nanos),
      models: either(random, ...(JSON_TEXTS as [string, ...string[]])),
      limits: either(random, ...(JSON_TEXTS as [string, ...string[]])),
      concurrent_calls: either(random, null, 1, MAX),
      overflow: random.below(2),
      follows_id: null,
      month_number: 1,
      starts_ms: 5,
      ends_ms: 9,
      covers_until_ms: either(random, 9, MAX),
      renews: random.below(2),
      next_plan: either(random, null, 'max'),
      card_method: either(random, null, 'stripe'),
      card_currency: either(random, null, 'EUR'),
      returned_nanos: 0,
    }
  },
  people: ({ random, at, id }) => {
    const email = at % 3 === 0 ? null : `${unique(at)}@example.com`.slice(-254)
    return {
      account_id: at === 0 ? null : other(random, id),
      name: unique(at).slice(0, 200),
      email,
      email_verified_at_ms: email === null ? null : either(random, null, 5),
    }
  },
  memberships: ({ random, id }) => ({
    person_id: id,
    account_id: other(random, id),
    role: either(random, 'owner', 'member', 'billing'),
  }),
  invitations: ({ random, id, at }) => ({
    account_id: other(random, id),
    email: `${unique(at)}@example.com`.slice(-254),
    role: either(random, 'owner', 'member', 'billing'),
    sha256: bytes(random, 32),
    is_mailed: random.below(2),
  }),
  staff: ({ random, id }) => ({ person_id: id, role: either(random, 'operator', 'support', 'auditor') }),
  passwords: ({ id, at }) => ({
    person_id: id,
    hash: at % 2 === 0 ? '$argon2id$v=19$m=1' : '$2y$10$x',
  }),
  sessions: ({ random, id }) => {
    const role = either(random, 'operator', 'account', 'key')
    return {
      role,
      sha256: bytes(random, 32),
      account_id: role === 'operator' ? null : other(random, id),
      person_id: role === 'key' ? null : other(random, id),
      key_id: role === 'key' ? other(random, id) : null,
      identity_id: role === 'key' ? null : either(random, null, other(random, id)),
      provider_session: either(random, null, 's'),
      created_at_ms: 5,
      last_seen_at_ms: either(random, 5, MAX),
      proof: either(random, null, 'password', 'passkey'),
    }
  },
  identities: ({ random, at, id }) => ({
    person_id: other(random, id),
    issuer: `https://${unique(at)}`.slice(0, 2_048),
    subject: unique(at).slice(0, 255),
    provider: 'id',
    email: at % 3 === 0 ? null : 'a@example.com',
    created_at_ms: 5,
    last_used_at_ms: either(random, 5, MAX),
  }),
  spent_tokens: ({ random }) => ({ sha256: bytes(random, 32) }),
  sign_in_links: ({ id, at, random }) => {
    const purpose = either(random, 'password', 'reset', 'sign_in', 'email')
    const email = purpose === 'email' ? `${unique(at)}@example.com`.slice(-254) : null
    return { person_id: id, sha256: bytes(random, 32), purpose, email }
  },
  passkeys: ({ id, at, random }) => ({
    person_id: id,
    credential_id: bytes(random, 16),
    public_key: bytes(random, 77),
    transports: either(random, '[]', '["internal"]'),
    name: `${unique(at)}`.slice(0, 200),
  }),
  passkey_challenges: ({ id, random }) => {
    const purpose = either(random, 'add', 'sign_in', 'confirm')
    return {
      sha256: bytes(random, 32),
      purpose,
      session_id: purpose === 'sign_in' ? null : id,
      challenge: 'c',
    }
  },
  known_addresses: ({ id, at }) => ({ person_id: id, place: `${unique(at)}!` }),
  actions: ({ random, id }) => {
    const actor = either(random, 'operator', 'account', 'key', 'command', 'system')
    return {
      actor,
      action: 'key.revoked',
      session_id: 1_000 + id,
      account_id: actor === 'account' || actor === 'key' ? other(random, id) : null,
      key_id: actor === 'key' ? other(random, id) : null,
      command: actor === 'command' ? 'key revoke' : null,
      before: either(random, null, ...JSON_TEXTS),
      after: either(random, null, ...JSON_TEXTS),
    }
  },
  prices: ({ random }) => ({ sha256: bytes(random, 32), json: either(random, '{}', ...JSON_TEXTS) }),
  holds: ({ random, id }) => ({
    id: 1_000 + id,
    account_id: other(random, id),
    key_id: other(random, id),
    state: either(random, 'pending', 'expired'),
    covered_nanos: 0,
    plan_period_id: null,
  }),
  calls: ({ random, id }) => {
    const cost_nanos = either(random, 0, 1, MAX)
    const price_id = either(random, null, other(random, id))
    return {
      account_id: other(random, id),
      key_id: other(random, id),
      outcome: either(random, 'completed', 'cancelled', 'broken', 'failed'),
      streamed: random.below(2),
      estimated: random.below(2),
      summed: random.below(2),
      cost_nanos,
      plan_period_id: cost_nanos === 0 ? id : null,
      covered_nanos: cost_nanos === 0 ? either(random, 0, 1, MAX) : 0,
      unpaid_nanos: either(random, 0, cost_nanos),
      refunded_nanos: either(random, 0, cost_nanos),
      costs_elsewhere: either(random, null, '[["a","b",1]]'),
      price_id,
      price: price_id === null ? either(random, '', ...JSON_TEXTS) : '',
      counted: price_id === null ? '' : either(random, '', ...JSON_TEXTS),
    }
  },
  call_rewrites: ({ at }) => ({ name: at === 0 ? 'prices' : 'traces' }),
  call_sums: ({ at, random }) => ({ span_s: either(random, 86_400, 900), start_s: at, outcome: 'failed' }),
  entries: ({ random, id }) => {
    const kind = either(random, 'top_up', 'withdrawal', 'charge', 'debt_payment', 'refund')
    const [adds, has_call] = [kind === 'top_up' || kind === 'refund', kind === 'charge' || kind === 'refund']
    return {
      kind,
      account_id: other(random, id),
      amount_nanos: adds ? either(random, 0, MAX) : either(random, -1, -MAX),
      call_id: has_call ? other(random, id) : null,
      request_key: either(random, null, `k${id}`),
    }
  },
  opening_debts: ({ random, id }) => ({
    account_id: other(random, id),
    amount_nanos: either(random, 1, MAX),
    request_key: either(random, null, `k${id}`),
  }),
  state_changes: ({ random, id }) => ({
    subject: 'orders',
    account_id: either(random, null, other(random, id)),
    from_state: 'open',
    to_state: 'paid',
    source: either(random, 'webhook', 'poll', 'page', 'command', 'operator', 'system'),
    detail: either(random, '{}', ...JSON_TEXTS),
  }),
  orders: ({ random, id, at }) => ({
    account_id: other(random, id),
    person_id: either(random, null, other(random, id)),
    kind: either(random, 'top_up', 'automatic', 'plan'),
    provider: either(random, 'stripe', 'transfer'),
    reference: either(random, null, `r${at}`),
    currency: 'EUR',
    amount_minor: MAX,
    rate_nanos: either(random, 1, MAX),
    credit_nanos: either(random, 1, MAX),
    bonus_nanos: either(random, 0, MAX),
    state: either(random, 'open', 'paid', 'partly_refunded', 'refunded', 'disputed', 'expired'),
    looks: either(random, 0, MAX),
    ...Object.fromEntries(
      ['trouble', 'payment_reference', 'tax_country', 'receipt_url'].map((name) => [
        name,
        either(random, null, `${unique(at)}!`),
      ]),
    ),
    refunded_minor: either(random, 0, MAX),
    is_live: random.below(2),
    request_key: either(random, null, `${unique(at)}!`),
    pending_since_ms: either(random, null, MAX),
    plan_period_id: either(random, null, other(random, id)),
  }),
  order_refunds: ({ random, id, at }) => ({
    order_id: other(random, id),
    account_id: other(random, id),
    amount_minor: either(random, 1, MAX),
    debit_nanos: either(random, 0, MAX),
    into_debt: random.below(2),
    state: either(random, 'begun', 'debited', 'done', 'failed', 'cancelled'),
    reference: either(random, null, `${unique(at)}!`),
  }),
  referral_links: ({ id, at }) => ({ account_id: id, code: `c${at}` }),
  referrals: ({ id }) => ({ account_id: id, referrer_id: id === 1 ? 2 : 1 }),
  voucher_batches: ({ random }) => ({ once_each: random.below(2) }),
  vouchers: ({ random, id }) => {
    const is_redeemed = random.chance(0.5)
    return {
      batch_id: other(random, id),
      account_id: is_redeemed ? other(random, id) : null,
      sha256: bytes(random, 32),
      amount_nanos: either(random, 1, MAX),
      state: is_redeemed ? 'redeemed' : either(random, 'new', 'revoked', 'expired'),
      expires_at_ms: either(random, null, MAX),
    }
  },
  payment_customers: ({ random, id, at }) => ({
    account_id: other(random, id),
    provider: `p${at}`,
    is_live: random.below(2),
    reference: `c${at}`,
    card_setup: either(random, null, `cs${at}`),
    card_reference: either(random, null, `pm${at}`),
    card_person_id: either(random, null, other(random, id)),
  }),
  automatic_top_ups: ({ random, id }) => {
    const is_on = random.below(2)
    return {
      account_id: id,
      is_on,
      below_nanos: either(random, 1, MAX),
      provider: 'p',
      currency: 'EUR',
      amount_minor: 1,
      month_limit_minor: either(random, 1, MAX),
      order_id: null,
      off_reason: is_on ? null : either(random, 'person', 'failures', 'card', 'account'),
    }
  },
  generations: ({ random, id, at }) => {
    const is_stored = random.chance(0.5)
    const stored = {
      file_key: `1/${at}`,
      mime: 'image/png',
      width: 1,
      height: MAX,
      bytes: 1,
      sha256: hex64(random),
    }
    return {
      uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      account_id: other(random, id),
      call_id: other(random, id),
      position: at,
      kind: either(random, 'generation', 'edit', 'compose'),
      state: is_stored ? 'stored' : either(random, 'generating', 'failed'),
      parents: either(random, '[]', '["files/1/a"]'),
      missing_since_ms: is_stored ? either(random, null, 7) : null,
      ...(is_stored ? stored : Object.fromEntries(Object.keys(stored).map((name) => [name, null]))),
    }
  },
  files: ({ random, id, at }) => {
    const is_stored = random.chance(0.5)
    return {
      key: `files/1/${at}`,
      account_id: other(random, id),
      state: is_stored ? 'stored' : 'storing',
      sha256: is_stored ? hex64(random) : null,
      width: is_stored ? 1 : null,
      height: is_stored ? MAX : null,
      missing_since_ms: is_stored ? either(random, null, 7) : null,
    }
  },
  idempotency_keys: ({ random, id, at }) => {
    const is_answered = random.chance(0.6)
    const in_file = random.chance(0.3)
    const replays = is_answered ? random.below(2) : 0
    return {
      account_id: other(random, id),
      key: `${unique(at)}!`,
      request_sha256: bytes(random, 32),
      status: is_answered ? 200 : null,
      headers: is_answered ? either(random, ...(JSON_TEXTS as [string])) : null,
      body: is_answered && !in_file ? bytes(random, random.below(300)) : null,
      body_file: is_answered && in_file ? `f${at}` : null,
      kept_bytes: is_answered ? random.below(9) : 0,
      replays,
      replayed_at_ms: replays === 0 ? null : 9,
    }
  },
  responses: ({ random, id, at }) => {
    const continues = at > 0 && random.chance(0.5)
    const in_file = random.chance(0.3)
    return {
      account_id: other(random, id),
      response_id: `resp_${at}`,
      previous: continues ? id - 1 : null,
      chain_length: continues ? 2 : 1,
      later: 2,
      deleted: random.below(2),
      body: in_file ? null : bytes(random, random.below(300)),
      body_file: in_file ? `r${at}` : null,
      kept_bytes: 5,
      chain_bytes: MAX,
    }
  },
  refusals: ({ random, id }) => ({
    account_id: other(random, id),
    key_id: other(random, id),
    request_id: 'r',
    status: 400,
    code: 'c',
    model: either(random, null, 'm'),
  }),
  refusal_sums: ({ at, random }) => ({
    span_s: either(random, 3600, 60),
    start_s: at,
    refusals: either(random, 1, MAX),
  }),
  health_states: ({ at }) => ({
    subject: JSON.stringify(['key', unique(at), 'm']),
    state: '{}',
    version: 1 + at,
  }),
  route_sums: ({ at, random }) => ({
    span_s: 300,
    start_s: at * 300,
    result: 'answered',
    tries: either(random, 1, MAX),
    calls: random.below(2),
  }),
  model_days: ({ at, random }) => ({
    day_s: at * 86_400,
    answered: either(random, 0, MAX),
    failed: either(random, 0, MAX),
  }),
  incidents: ({ at, random }) => ({
    title: `incident ${at}`,
    models: either(random, '[]', '["m"]'),
    state: either(random, 'investigating', 'identified', 'monitoring'),
    resolved_at_ms: null,
  }),
  incident_updates: ({ at, random, id }) => ({
    incident_id: other(random, id),
    state: either(random, 'investigating', 'resolved'),
    text: `update ${at}`,
  }),
  rates: ({ at, random }) => ({
    scope: either(random, 'account', 'key'),
    at_s: at,
    requests: either(random, 0, MAX),
    tokens: either(random, 0, MAX),
  }),
  bucket_marks: ({ at }) => ({ mark: unique(at) }),
  audit_marks: ({ random }) => ({ json: either(random, '{}', ...JSON_TEXTS), sha256: bytes(random, 32) }),
  image_rates: ({ at }) => ({ id: at + 1, taken: `[${at}]` }),
  catalogues: ({ random }) => ({
    made_by: either(random, 'file', 'session:12', 'command:prices import'),
    shared: either(random, 0, 1),
  }),
  alerts: ({ random, id, at }) => ({
    rule: `rule${at}`,
    account_id: either(random, null, other(random, id)),
    sentence: 'It is full.',
    raised_at_ms: 5,
    over_since_ms: random.chance(0.5) ? null : 6,
    ended_at_ms: null,
  }),
  alert_sendings: ({ random, id, at }) => ({
    alert_id: other(random, id),
    account_id: either(random, null, other(random, id)),
    event: either(random, 'raised', 'ended'),
    webhook_id: unique(at),
    ...(random.chance(0.5) ? { due_at_ms: null } : { sent_at_ms: null }),
  }),
  mails: ({ random, id, at }) => {
    const state = either(random, 'queued', 'sent', 'failed', 'cancelled')
    const is_queued = state === 'queued'
    return {
      account_id: either(random, null, other(random, id)),
      request_key: `${unique(at)}!`,
      purpose: 'test',
      fields: either(random, '{}', ...JSON_TEXTS),
      recipient: `${unique(at)}@example.com`,
      language: 'en',
      link: is_queued ? either(random, null, '/console/invitation#x') : null,
      message_id: `m${at}`,
      state,
      next_at_ms: is_queued ? either(random, 0, MAX) : null,
      sent_at_ms: state === 'sent' ? either(random, 0, MAX) : null,
    }
  },
  mail_recipients: ({ id, at }) => ({ account_id: id, recipient: 'a@example.com', token: `t${at}` }),
  sign_up_codes: ({ random }) => ({
    sha256: bytes(random, 32),
    email: either(random, null, 'a@example.com'),
    max_uses: either(random, 1, MAX),
    uses: either(random, 0, 1),
    revoked_at_ms: either(random, null, 5),
  }),
  sign_ups: ({ random, id, at }) => ({
    email: `${unique(at)}@example.com`,
    proof: either(random, 'mail', 'identity'),
    network: either(random, null, '203.0.113.7'),
    code_id: either(random, null, other(random, id)),
    mails: either(random, 0, MAX),
    ...(random.chance(0.5)
      ? { account_id: null, completed_at_ms: null, sha256: bytes(random, 32) }
      : { account_id: other(random, id), completed_at_ms: MAX, sha256: null }),
  }),
  sign_up_counts: ({ random, at }) => ({
    kind: either(random, 'network', 'challenge'),
    subject: `${unique(at)}!`,
    until_ms: at,
    count: either(random, 1, MAX),
  }),
  sign_up_keys: ({ random }) => ({ secret: bytes(random, 32) }),
  terms_acceptances: ({ random, id }) => ({
    account_id: id,
    person_id: other(random, id),
    url: 'https://example.com/terms',
    version: either(random, '', '2026-11'),
  }),
  imported_rows: ({ random, id, at }) => ({
    source: 'new-api',
    kind: either(random, 'account', 'key', 'link'),
    source_id: unique(at) || 'user 1',
    account_id: other(random, id),
    key_id: either(random, null, other(random, id)),
    content: either(random, '{}', '{"balance_nanos":9007199254740991}'),
  }),
  imported_usage: ({ random, id, at }) => ({
    source: 'new-api',
    account_id: other(random, id),
    day_s: at * 86_400,
    calls: either(random, 0, MAX),
    input_tokens: either(random, 0, MAX),
    output_tokens: either(random, 0, MAX),
    charged_nanos: either(random, 0, MAX),
  }),
}

/** The numbers of rows in tables that allow no more. */
const COUNTS: Readonly<Record<string, number>> = { call_rewrites: 2, bucket_marks: 1, audit_marks: 1 }
/** Tables whose rows name two different accounts: with a single account they stay empty. */
const OF_TWO = ['referrals']

const countOf = (table: string, count: number): number =>
  COUNTS[table] ?? (OF_TWO.includes(table) && count < 2 ? 0 : count)

const COLUMNS = new Map(ALL_TABLES.map(({ name, table }) => [name, getTableConfig(table).columns]))

/** Rows of all tables, this number of each if possible. References name existing rows; nothing else is consistent. */
export function randomRows(seed: number, count: number): Map<string, Row[]> {
  const random = randomFrom(seed)
  return new Map(
    copiedTables().map(({ name }) => {
      const columns = COLUMNS.get(name) ?? []
      const rows = Array.from({ length: countOf(name, count) }, (_, at): Row => {
        const any = columns.map((column) => [column.name, valueIn(random, column)])
        return {
          ...Object.fromEntries(any),
          id: at + 1,
          version: at + 1,
          ...CONSTRAINED[name]?.({ random, at, id: at + 1 }),
        }
      })
      const names = columns.map((column) => column.name)
      return [name, rows.map((row) => Object.fromEntries(names.map((each) => [each, row[each] ?? null])))]
    }),
  )
}

function valueIn(random: Random, column: SQLiteColumn): Value {
  if (!column.notNull && random.chance(0.4)) return null
  const type = column.getSQLType()
  if (type === 'integer') return either(random, 0, 1, 2, MAX, random.below(2 ** 31))
  if (type === 'blob') return bytes(random, random.below(40))
  return random.pick(TEXTS as [string, ...string[]])
}

/** Puts rows into a database, and drops its triggers first, which the rows may violate. */
export function putRows(db: Database, tables: ReadonlyMap<string, readonly Row[]>): void {
  const triggers = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`)
  db.run('DELETE FROM call_rewrites')
  for (const [table, rows] of tables)
    for (const row of rows) {
      const names = Object.keys(row)
      db.query<unknown, Row>(
        `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map((name) => `$${name}`).join(', ')})`,
      ).run(row)
    }
}
