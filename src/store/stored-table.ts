// A person's data, table by table and column by column: what an export has of an account, and what an erasure leaves of it.
// Every table and every column of the database is named here; test/store/personal-data.test.ts compares it with the schema.

export interface ColumnRule {
  /** How an export writes it: as it is, as the JSON that its text is, or bytes as the text that they are. Absent: not at all. */
  readonly exported?: 'as_is' | 'json' | 'bytes'
  /** SQL that an export reads it by, where that is not the column alone. */
  readonly read?: string
  /** SQL that an erasure puts in its place, where the row stays. Absent: the value stays. */
  readonly erased?: string
}

export interface TableRule {
  /** The column that says whose a row is. */
  readonly owner: 'account_id' | 'id'
  /** What an erasure deletes: whole rows, or what is in some of their columns. */
  readonly erases: 'rows' | 'columns'
  /** SQL of the path of a row's file in the data folder; null if it has none. The file goes before its row. */
  readonly file?: string
  /** The column in whose order an index has an account's rows. Absent: the id. */
  readonly in_order_of?: string
  readonly columns: Readonly<Record<string, ColumnRule>>
}

const SHOWN: ColumnRule = { exported: 'as_is' }
const SHOWN_JSON: ColumnRule = { exported: 'json' }
const HIDDEN: ColumnRule = {}

const columns = (names: string, rule: ColumnRule): Record<string, ColumnRule> =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]))

const USAGE =
  'input_tokens input_audio_tokens cache_read_tokens cache_write_5m_tokens cache_write_1h_tokens output_tokens ' +
  'thinking_tokens output_image_tokens images'

/** What an erased account is called. No other account may have such a name. */
export const PSEUDONYM = /^erased-\d+$/
export const pseudonymOf = (account_id: number): string => `erased-${account_id}`

export const PERSONAL_DATA: Readonly<Record<string, TableRule>> = {
  accounts: {
    owner: 'id',
    erases: 'columns',
    columns: {
      ...columns('id status balance_nanos held_nanos debt_nanos created_at_ms', SHOWN),
      name: { exported: 'as_is', erased: "'erased-' || id" },
    },
  },
  account_details: {
    owner: 'account_id',
    erases: 'rows',
    columns: columns('id account_id display_name email note keys_see_account', SHOWN),
  },
  closed_accounts: {
    owner: 'account_id',
    erases: 'columns',
    columns: columns('account_id closed_at_ms', SHOWN),
  },
  erased_accounts: {
    owner: 'account_id',
    erases: 'columns',
    columns: columns('account_id erased_at_ms', SHOWN),
  },
  keys: {
    owner: 'account_id',
    erases: 'columns',
    columns: {
      ...columns('id account_id spend_limit_nanos spent_nanos held_nanos', SHOWN),
      ...columns('expires_at_ms revoked_at_ms created_at_ms', SHOWN),
      ...columns('daily_limit_nanos monthly_limit_nanos concurrent_calls', SHOWN),
      ...columns('day_start_ms day_first_hold_id day_nanos', HIDDEN),
      ...columns('month_start_ms month_first_hold_id month_nanos', HIDDEN),
      name: { exported: 'as_is', erased: "'key-' || id" },
      prefix: { exported: 'as_is', erased: "'erased-' || id" },
      sha256: { erased: 'randomblob(32)' },
      models: { exported: 'json', erased: 'NULL' },
      addresses: { exported: 'json', erased: 'NULL' },
    },
  },
  holds: {
    owner: 'account_id',
    erases: 'columns',
    columns: {
      ...columns('id account_id key_id request_id amount_nanos state created_at_ms expires_at_ms', SHOWN),
      gateway_id: HIDDEN,
    },
  },
  entries: {
    owner: 'account_id',
    erases: 'columns',
    in_order_of: 'created_at_ms',
    columns: {
      ...columns('id account_id kind amount_nanos call_id created_at_ms', SHOWN),
      note: { exported: 'as_is', erased: "''" },
      request_key: { exported: 'as_is', erased: 'NULL' },
    },
  },
  calls: {
    owner: 'account_id',
    erases: 'columns',
    columns: {
      ...columns('id request_id account_id key_id surface model provider upstream_model', SHOWN),
      ...columns('outcome status streamed estimated', SHOWN),
      ...columns(USAGE, SHOWN),
      ...columns('hold_nanos cost_nanos unpaid_nanos started_at_ms first_byte_ms duration_ms', SHOWN),
      failed_tries: SHOWN,
      price: {
        exported: 'json',
        read: "coalesce(nullif(price, ''), (SELECT json FROM prices WHERE prices.id = price_id), '')",
      },
      counted: SHOWN_JSON,
      // It quotes what was asked where a provider refused it.
      trace: { exported: 'json', erased: "''" },
      // Of the bookkeeping, and of the operator's own costs.
      ...columns('price_id summed provider_cost_nanos reported_cost_nanos computed_cost_nanos', HIDDEN),
    },
  },
  // They follow from the calls.
  call_sums: {
    owner: 'account_id',
    erases: 'columns',
    columns: {
      ...columns('account_id span_s start_s key_id model outcome calls', HIDDEN),
      ...columns(USAGE, HIDDEN),
      ...columns('cost_nanos unpaid_nanos first_call_id last_call_id', HIDDEN),
      ...columns('provider_cost_nanos known_revenue_nanos', HIDDEN),
    },
  },
  generations: {
    owner: 'account_id',
    erases: 'rows',
    file: "'images/' || file_key",
    columns: {
      ...columns('id uuid account_id call_id position kind state model prompt revised_prompt', SHOWN),
      parents: SHOWN_JSON,
      ...columns('file_key mime width height bytes sha256 created_at_ms missing_since_ms', SHOWN),
      gateway_id: HIDDEN,
    },
  },
  files: {
    owner: 'account_id',
    erases: 'rows',
    file: "CASE WHEN state = 'stored' THEN key END",
    columns: {
      ...columns('id key account_id name state mime bytes sha256 width height', SHOWN),
      ...columns('created_at_ms missing_since_ms', SHOWN),
      gateway_id: HIDDEN,
    },
  },
  refusals: {
    owner: 'account_id',
    erases: 'rows',
    in_order_of: 'at_ms',
    columns: columns('id account_id key_id request_id at_ms surface model status code sentence', SHOWN),
  },
  refusal_sums: {
    owner: 'account_id',
    erases: 'columns',
    columns: columns('span_s account_id start_s key_id code refusals', HIDDEN),
  },
  idempotency_keys: {
    owner: 'account_id',
    erases: 'rows',
    file: "'answers/' || body_file",
    columns: {
      ...columns('id account_id key request_id status body_file created_at_ms', SHOWN),
      ...columns('kept_bytes replays replayed_at_ms', SHOWN),
      headers: SHOWN_JSON,
      body: { exported: 'bytes' },
      ...columns('request_sha256 after_hold_id gateway_id', HIDDEN),
    },
  },
  responses: {
    owner: 'account_id',
    erases: 'rows',
    file: "'responses/' || body_file",
    columns: {
      ...columns('id account_id response_id previous later deleted body_file kept_bytes', SHOWN),
      ...columns('chain_bytes chain_length created_at_ms', SHOWN),
      body: { exported: 'bytes' },
    },
  },
  passwords: {
    owner: 'account_id',
    erases: 'rows',
    columns: columns('id account_id hash set_at_ms', HIDDEN),
  },
  sessions: {
    owner: 'account_id',
    erases: 'rows',
    columns: {
      ...columns('id role account_id key_id address user_agent', SHOWN),
      ...columns('created_at_ms last_seen_at_ms expires_at_ms', SHOWN),
      sha256: HIDDEN,
    },
  },
  known_addresses: {
    owner: 'account_id',
    erases: 'rows',
    columns: columns('id account_id place signed_in_at_ms', SHOWN),
  },
  actions: {
    owner: 'account_id',
    erases: 'columns',
    columns: {
      ...columns('id created_at_ms action actor request_id account_id key_id subject', SHOWN),
      before: { exported: 'json', erased: 'NULL' },
      after: { exported: 'json', erased: 'NULL' },
      // The operator's own is not the account's.
      address: {
        exported: 'as_is',
        read: "CASE WHEN actor <> 'operator' THEN address END",
        erased: "CASE WHEN actor = 'operator' THEN address END",
      },
      ...columns('session_id command machine_user', HIDDEN),
    },
  },
  alerts: {
    owner: 'account_id',
    erases: 'rows',
    columns: columns('id rule subject account_id sentence raised_at_ms over_since_ms ended_at_ms', SHOWN),
  },
  alert_sendings: {
    owner: 'account_id',
    erases: 'rows',
    columns: {
      ...columns('id alert_id account_id event webhook_id created_at_ms tries due_at_ms sent_at_ms', SHOWN),
      // Of the operator's own server.
      ...columns('status failure', HIDDEN),
    },
  },
  sign_in_links: {
    owner: 'account_id',
    erases: 'rows',
    columns: columns('id sha256 account_id created_at_ms expires_at_ms', HIDDEN),
  },
}

/** Tables that say nothing of an account, and why. */
export const OF_NOBODY: Readonly<Record<string, string>> = {
  gateways: 'which gateways serve',
  rates: 'how much was called in the last minute',
  image_rates: 'when images were asked for in the last minute',
  bucket_marks: 'which bucket the files are in',
  prices: 'the prices of the catalogue',
  // What one says about an account's limits goes with an erasure: app/process/personal-data/erase.ts.
  catalogues: 'the texts of the catalogue',
  call_rewrites: 'how far calls have been written anew',
  route_sums: 'how routes did, whoever called',
}

/** The tables that an export has. */
export const exportedTables = (): [name: string, rule: TableRule][] =>
  Object.entries(PERSONAL_DATA).filter(([, rule]) =>
    Object.values(rule.columns).some(({ exported }) => exported !== undefined),
  )

/** What an erasure writes over: its column and the SQL in its place. */
export const erasedColumns = ({ columns }: TableRule): [column: string, sql: string][] =>
  Object.entries(columns).flatMap(([column, { erased }]) => (erased === undefined ? [] : [[column, erased]]))
