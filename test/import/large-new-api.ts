// A new-api of any size: users, three tokens each, and lines of a log over 60 days, made by the engines themselves from a counter.
import { schemaOf } from './gateway-tables.ts'

interface Size {
  readonly users: number
  readonly logs: number
}

/** The size for which plugins/import/README.md states the duration. */
export const LARGE: Size = { users: 10_000, logs: 1_000_000 }

const OTHER =
  '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"cache_tokens":0,"cache_ratio":0,"model_price":-1,"frt":431.0,"admin_info":{"use_channel":["1"]}}'

/** @param series a table with the numbers from 1 to a count in the column `n` */
const statements = (
  users: number,
  logs: number,
  series: (count: number) => string,
  text: (n: string) => string,
): string[] => [
  `INSERT INTO users (id, username, password, display_name, role, status, email, quota, used_quota, request_count, "group", aff_quota)
   SELECT n, 'user' || n, '', 'User ' || n, 1, 1, 'user' || n || '@example.com', (n * 7919) % 5000000 - 1000, 0, 0, 'default', 0
   FROM ${series(users)}`,
  `INSERT INTO tokens (id, user_id, "key", status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota,
   model_limits_enabled, model_limits, allow_ips, used_quota, "group")
   SELECT n, (n - 1) % ${users} + 1, 'k' || ${text('n')}, 1, 'token ' || n, 1735689600, 0, -1, n, n % 3 = 0, n % 7 = 0, 'gpt-4o', '', 0, ''
   FROM ${series(users * 3)}`,
  `INSERT INTO channels (id, type, "key", status, name, weight, created_time, base_url, models, "group", priority)
   SELECT n, 1, 'upstream-' || n, 1, 'channel ' || n, 1, 1735689600, '', 'gpt-4o,gpt-4o-mini,m' || n, 'default', n FROM ${series(20)}`,
  `INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens,
   use_time, is_stream, channel_id, token_id, "group", ip, other)
   SELECT n, (n * 31) % ${users} + 1, 1788000000 + n * (60 * 86400 / ${logs}.0), CASE WHEN n % 50 = 0 THEN 5 ELSE 2 END, '', 'user',
   'token', CASE WHEN n % 4 = 0 THEN 'gpt-4o-mini' ELSE 'gpt-4o' END, n % 1000, n % 800, n % 200, 1, n % 2 = 0, 1, 1, 'default', '', '${OTHER}'
   FROM ${series(logs)}`,
]

export const largeSqlite = ({ users, logs }: Size): string[] => {
  const series = (count: number) =>
    `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`
  return [
    ...schemaOf('new-api 2026', 'sqlite'),
    ...statements(users, logs, series, (n) => `substr(hex(${n} * 7919 + 1) || '${'x'.repeat(48)}', 1, 47)`),
    'UPDATE logs SET created_at = CAST(created_at AS INTEGER)',
  ]
}

export const largePostgres = ({ users, logs }: Size): string[] => [
  ...schemaOf('new-api 2026', 'postgres'),
  ...statements(
    users,
    logs,
    (count) => `generate_series(1, ${count}) AS s (n)`,
    (n) => `md5(${n}::text)`,
  ),
]
