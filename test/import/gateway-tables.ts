// The tables of one-api and new-api in three versions each, as SQL for three engines: names and types as their public sources have them.

/**
 * Table and column names are those of the Go structures in model/{user,token,channel,ability,option,redemption,log}.go of
 * github.com/songquanpeng/one-api (tags v0.3.0, v0.5.0, v0.6.10) and github.com/QuantumNous/new-api (v0.2.0 of March 2024, April 2025,
 * 2026). i: integer, t: text, f: flag, d: moment, r: real, k: char(48), j: JSON.
 */
const TABLES = {
  'one-api 0.3': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t balance:i access_token:t quota:i',
    tokens:
      'id:i user_id:i key:t status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f',
    channels: 'id:i type:i key:t status:i name:t weight:i created_time:i base_url:t other:t',
    options: 'key:t value:t',
    redemptions: 'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i',
  },
  'one-api 0.5': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t access_token:t quota:i used_quota:i request_count:i group:t aff_code:t inviter_id:i',
    tokens:
      'id:i user_id:i key:k status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f used_quota:i',
    channels:
      'id:i type:i key:t status:i name:t weight:i created_time:i base_url:t other:t balance:r models:t group:t used_quota:i model_mapping:t',
    abilities: 'group:t model:t channel_id:i enabled:f',
    options: 'key:t value:t',
    redemptions: 'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i',
    logs: 'id:i user_id:i created_at:i type:i content:t username:t token_name:t model_name:t quota:i prompt_tokens:i completion_tokens:i',
  },
  'one-api 0.6': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t lark_id:t oidc_id:t access_token:t quota:i used_quota:i request_count:i group:t aff_code:t inviter_id:i',
    tokens:
      'id:i user_id:i key:k status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f used_quota:i models:t subnet:t',
    channels:
      'id:i type:i key:t status:i name:t weight:i created_time:i base_url:t other:t balance:r models:t group:t used_quota:i model_mapping:t priority:i config:t system_prompt:t',
    abilities: 'group:t model:t channel_id:i enabled:f priority:i',
    options: 'key:t value:t',
    redemptions: 'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i',
    logs: 'id:i user_id:i created_at:i type:i content:t username:t token_name:t model_name:t quota:i prompt_tokens:i completion_tokens:i channel_id:i request_id:t elapsed_time:i is_stream:f system_prompt_reset:f',
  },
  'new-api 2024': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t telegram_id:t access_token:t quota:i used_quota:i request_count:i group:t aff_code:t aff_count:i aff_quota:i aff_history:i inviter_id:i deleted_at:d',
    tokens:
      'id:i user_id:i key:k status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f model_limits_enabled:f model_limits:t used_quota:i deleted_at:d',
    channels:
      'id:i type:i key:t openai_organization:t test_model:t status:i name:t weight:i created_time:i base_url:t other:t balance:r models:t group:t used_quota:i model_mapping:t priority:i auto_ban:i',
    abilities: 'group:t model:t channel_id:i enabled:f priority:i weight:i',
    options: 'key:t value:t',
    redemptions:
      'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i used_user_id:i deleted_at:d',
    logs: 'id:i user_id:i created_at:i type:i content:t username:t token_name:t model_name:t quota:i prompt_tokens:i completion_tokens:i use_time:i is_stream:f channel_id:i token_id:i other:t',
  },
  'new-api 2025': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t oidc_id:t access_token:t quota:i used_quota:i request_count:i group:t aff_code:t aff_count:i aff_quota:i aff_history:i inviter_id:i deleted_at:d linux_do_id:t setting:t',
    tokens:
      'id:i user_id:i key:k status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f model_limits_enabled:f model_limits:t allow_ips:t used_quota:i group:t deleted_at:d',
    channels:
      'id:i type:i key:t openai_organization:t test_model:t status:i name:t weight:i created_time:i base_url:t other:t balance:r models:t group:t used_quota:i model_mapping:t status_code_mapping:t priority:i auto_ban:i other_info:t tag:t setting:t param_override:t',
    abilities: 'group:t model:t channel_id:i enabled:f priority:i weight:i tag:t',
    options: 'key:t value:t',
    redemptions:
      'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i used_user_id:i deleted_at:d',
    logs: 'id:i user_id:i created_at:i type:i content:t username:t token_name:t model_name:t quota:i prompt_tokens:i completion_tokens:i use_time:i is_stream:f channel_id:i channel_name:t token_id:i group:t other:t',
  },
  'new-api 2026': {
    users:
      'id:i username:t password:t display_name:t role:i status:i email:t discord_id:t access_token:t quota:i used_quota:i request_count:i group:t aff_code:t aff_count:i aff_quota:i aff_history:i inviter_id:i deleted_at:d setting:t remark:t stripe_customer:t created_at:i last_login_at:i',
    tokens:
      'id:i user_id:i key:t status:i name:t created_time:i accessed_time:i expired_time:i remain_quota:i unlimited_quota:f model_limits_enabled:f model_limits:t allow_ips:t used_quota:i group:t cross_group_retry:f deleted_at:d',
    channels:
      'id:i type:i key:t openai_organization:t test_model:t status:i name:t weight:i created_time:i base_url:t other:t balance:r models:t group:t used_quota:i model_mapping:t status_code_mapping:t priority:i auto_ban:i other_info:t tag:t setting:t param_override:t header_override:t remark:t channel_info:j settings:t',
    abilities: 'group:t model:t channel_id:i enabled:f priority:i weight:i tag:t',
    options: 'key:t value:t',
    redemptions:
      'id:i user_id:i key:t status:i name:t quota:i created_time:i redeemed_time:i used_user_id:i deleted_at:d expired_time:i',
    logs: 'id:i user_id:i created_at:i type:i content:t username:t token_name:t model_name:t quota:i prompt_tokens:i completion_tokens:i use_time:i is_stream:f channel_id:i token_id:i group:t ip:t other:t',
    user_subscriptions: 'id:i user_id:i plan_id:i start_time:i end_time:i status:t source:t',
  },
} as const

export type Version = keyof typeof TABLES
export type Engine = 'sqlite' | 'postgres' | 'mysql'
export const VERSIONS = Object.keys(TABLES) as Version[]
type Value = string | number | boolean | null
export type Row = Readonly<Record<string, Value>>
/** Rows by their tables. Columns that a version does not have are left out, and whole tables too. */
export type Rows = Readonly<Record<string, readonly Row[]>>

/** The types of each engine's columns, as GORM's migrations make them. */
const TYPES: Record<Engine, Record<string, string>> = {
  sqlite: { i: 'integer', t: 'text', f: 'numeric', d: 'datetime', r: 'real', k: 'char(48)', j: 'json' },
  postgres: {
    i: 'bigint',
    t: 'text',
    f: 'boolean',
    d: 'timestamptz',
    r: 'decimal',
    k: 'char(48)',
    j: 'json',
  },
  mysql: {
    i: 'bigint',
    t: 'longtext',
    f: 'tinyint(1)',
    d: 'datetime(3)',
    r: 'double',
    k: 'char(48)',
    j: 'json',
  },
}

const columnsOf = (tables: Readonly<Record<string, string>>, table: string): [name: string, type: string][] =>
  (tables[table] ?? '')
    .split(' ')
    .filter(Boolean)
    .map((column) => [column.slice(0, -2), column.slice(-1)])

const quote = (engine: Engine, name: string): string => (engine === 'mysql' ? `\`${name}\`` : `"${name}"`)

/** The statements that create the tables of a version, and the indexes of its logs. */
export function schemaOf(version: Version, engine: Engine): string[] {
  const tables: Readonly<Record<string, string>> = TABLES[version]
  const created = Object.keys(tables).map((table) => {
    const columns = columnsOf(tables, table).map(([name, type]) => {
      const key = name === 'id' ? ' PRIMARY KEY' : ''
      return `${quote(engine, name)} ${TYPES[engine][type]}${key}`
    })
    return `CREATE TABLE ${quote(engine, table)} (${columns.join(', ')})`
  })
  const has_logs = 'logs' in tables
  return has_logs ? [...created, 'CREATE INDEX idx_created_at_id ON logs (created_at, id)'] : created
}

function literal(value: Value | undefined, type: string, engine: Engine): string {
  if (value === null || value === undefined) return 'NULL'
  if (type === 'f') return engine === 'postgres' ? String(Boolean(value)) : value ? '1' : '0'
  if (typeof value === 'number') return String(value)
  const text = String(value).replaceAll("'", "''")
  return engine === 'mysql' ? `'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`
}

/** The statements that insert rows. */
export function insertsOf(version: Version, engine: Engine, rows: Rows): string[] {
  const tables: Readonly<Record<string, string>> = TABLES[version]
  return Object.entries(rows).flatMap(([table, list]) => {
    const columns = columnsOf(tables, table)
    return columns.length === 0
      ? []
      : list.map((row) => {
          const names = columns.map(([name]) => quote(engine, name)).join(', ')
          const values = columns.map(([name, type]) => literal(row[name], type, engine)).join(', ')
          return `INSERT INTO ${quote(engine, table)} (${names}) VALUES (${values})`
        })
  })
}
