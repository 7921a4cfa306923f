// LiteLLM's database on PostgreSQL, of three versions: the same move-in from each, and sums that equal those of its own SQL.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openLitellm } from '../../../plugins/import/litellm/open.ts'
import { openTables } from '../../../plugins/import/source/open.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { hashOf } from './memory-tables.ts'

const VERSIONS = ['1.53.1', '1.72.6', '1.110.2']
const NOW_MS = Date.UTC(2026, 10, 29, 12)
const CONFIG = `
model_list:
  - {model_name: gpt-4o, litellm_params: {model: openai/gpt-4o}, model_info: {input_cost_per_token: 2.5e-06, output_cost_per_token: 1e-05}}
  - {model_name: claude, litellm_params: {model: anthropic/claude-x}, model_info: {input_cost_per_token: 3e-06, output_cost_per_token: 1.5e-05}}
`

const key = (text: string) => hashOf(`sk-${text}`)

/** Rows by the columns that all three versions have. */
const ROWS = `
INSERT INTO "LiteLLM_BudgetTable" (budget_id, max_budget, budget_duration, rpm_limit) VALUES ('weekly', 7, '7d', 30);
INSERT INTO "LiteLLM_OrganizationTable" (organization_id, organization_alias, budget_id, models) VALUES ('org', 'acme', 'weekly', ARRAY['gpt-4o']);
INSERT INTO "LiteLLM_TeamTable" (team_id, team_alias, models, max_budget, spend, blocked, tpm_limit, organization_id) VALUES
  ('red', 'Équipe "Rouge", 北', ARRAY[]::TEXT[], 100, 0.30000000000000004, false, 900000, NULL),
  ('blue', NULL, ARRAY['claude','gpt-4o'], NULL, 12.5, true, NULL, 'org'),
  ('over', 'over', NULL, 10, 12.75, false, NULL, NULL);
INSERT INTO "LiteLLM_UserTable" (user_id, user_email, models, max_budget, spend, budget_duration, teams) VALUES
  ('u1', 'lena@example.com', ARRAY[]::TEXT[], 20, 5, '30d', ARRAY[]::TEXT[]),
  ('u2', NULL, ARRAY['no-default-models'], NULL, 0, NULL, ARRAY['red']),
  ('member', NULL, ARRAY[]::TEXT[], NULL, 0, NULL, ARRAY['red']);
INSERT INTO "LiteLLM_VerificationToken" (token, key_name, key_alias, spend, max_budget, budget_duration, expires, models, user_id, team_id, blocked, budget_id, metadata, created_at) VALUES
  ('${key('red-one')}', 'sk-...-one', 'laptop', 1.25, 5, NULL, NULL, ARRAY[]::TEXT[], 'u1', 'red', NULL, NULL, '{}', '2025-01-02 03:04:05.678'),
  ('${key('red-two')}', 'sk-...-two', 'Büro', 0, NULL, '24h', '2099-01-01', ARRAY['gpt-4o'], NULL, 'red', false, 'weekly', '{"guardrails": ["pii"]}', '2025-01-02'),
  ('${key('blue-one')}', 'sk-...-one', NULL, 3e-07, 0.1, '1d', NULL, ARRAY['all-team-models'], NULL, 'blue', NULL, NULL, '{}', NULL),
  ('${key('own')}', NULL, 'own', 0, 0, NULL, NULL, NULL, 'u1', NULL, NULL, NULL, '{}', NULL),
  ('${key('nobody')}', 'sk-...body', 'nobody', 0, NULL, NULL, NULL, ARRAY[]::TEXT[], NULL, 'deleted', NULL, NULL, '{}', NULL),
  ('${key('no-models')}', 'sk-...dels', 'none', 0, NULL, NULL, NULL, ARRAY[]::TEXT[], 'u2', NULL, NULL, NULL, '{}', NULL),
  ('${key('blocked')}', 'sk-...cked', 'stolen', 0, NULL, NULL, NULL, ARRAY[]::TEXT[], 'u1', NULL, true, NULL, '{}', NULL),
  ('${key('expired')}', 'sk-...ired', 'old', 0, NULL, NULL, '2026-11-29 11:59:59.999', ARRAY[]::TEXT[], 'u1', NULL, NULL, NULL, '{}', NULL);
INSERT INTO "LiteLLM_ProxyModelTable" (model_name, litellm_params) VALUES ('stored', '{"api_key": "cipher"}');
INSERT INTO "LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, prompt_tokens, completion_tokens, "startTime", "endTime", model, model_group, "user", team_id, metadata)
  SELECT 'r' || n, 'acompletion', (ARRAY['${key('red-one')}', '${key('blue-one')}', '${key('own')}', '${key('blocked')}', 'deleted'])[1 + n % 5],
         CASE WHEN n % 7 = 0 THEN 0 ELSE n * 1.0e-7 + 0.0000000001 END, n, n / 2, timestamp '2026-10-01 22:00:00' + n * interval '17 minutes', now(),
         'provider/model', CASE WHEN n % 11 = 0 THEN '' ELSE (ARRAY['gpt-4o', 'claude'])[1 + n % 2] END, CASE WHEN n % 5 = 4 THEN 'u1' END, CASE WHEN n % 10 = 4 THEN 'red' END,
         '{"usage_object": {"prompt_tokens_details": {"cached_tokens": 3}}}'
  FROM generate_series(1, 1000) AS n;
`

/** Sums by day, account and model, by the rules of the import in SQL: rounded in exact decimals, line by line. */
const SUMS = `
  WITH lines AS (
    SELECT floor(extract(epoch FROM date_trunc('day', l."startTime")))::bigint AS day_s,
           CASE WHEN t.team_id IS NOT NULL THEN 'team ' || t.team_id
                WHEN coalesce(k.user_id, l."user") IS NOT NULL THEN 'user ' || coalesce(k.user_id, l."user")
                ELSE 'administrator' END AS account,
           coalesce(nullif(l.model_group, ''), l.model) AS model, l.prompt_tokens, l.completion_tokens,
           round(l.spend::numeric * 1000000000) AS nanos
      FROM "LiteLLM_SpendLogs" l LEFT JOIN "LiteLLM_VerificationToken" k ON k.token = l.api_key
      LEFT JOIN "LiteLLM_TeamTable" t ON t.team_id = coalesce(k.team_id, l.team_id))
  SELECT account, model, day_s::int AS day_s, count(*)::int AS calls, sum(prompt_tokens)::int AS input_tokens,
         sum(completion_tokens)::int AS output_tokens, sum(nanos)::bigint::text AS charged
    FROM lines GROUP BY 1, 2, 3`

interface Sum {
  account: string
  model: string
  day_s: number
  calls: number
  input_tokens: number
  output_tokens: number
  charged: string
}

const sorted = (sums: readonly Sum[]): readonly Sum[] =>
  sums.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

describe.skipIf(!hasPostgres).each(VERSIONS)('LiteLLM %s', (version) => {
  let name = ''
  let url = ''
  let sql: SQL

  beforeAll(async () => {
    const made = await makeDatabase('template0')
    name = made.name
    url = made.url
    sql = new SQL({ url, max: 1, idleTimeout: 0 })
    await sql.unsafe(await Bun.file(new URL(`schemas/${version}.sql`, import.meta.url)).text())
    await sql.unsafe(ROWS)
  })

  afterAll(async () => {
    await sql?.close()
    if (name !== '') await dropDatabase(name)
  })

  const open = async (schema = 'public') =>
    openLitellm({
      config: CONFIG,
      readIncluded: () => Promise.reject(new Error('no file')),
      env: {},
      prices: undefined,
      // As LiteLLM's DATABASE_URL may have it: https://www.prisma.io/docs/orm/overview/databases/postgresql
      tables: await openTables(`${url}?schema=${schema}&connection_limit=5`),
      now_ms: NOW_MS,
    })

  test('accounts and keys are imported', async () => {
    await using source = await open()
    const { accounts, left_out } = await source.readMoveIn()
    const rows = accounts.map(
      ({ source_id, name: account, status, balance_nanos, budgets, budgets_used, limits, keys }) => ({
        source_id,
        account,
        status,
        balance_nanos,
        budgets,
        budgets_used,
        limits,
        keys: keys.map(
          ({
            sha256,
            created_at_ms,
            expires_at_ms,
            spend_limit_nanos,
            models,
            budgets: own,
            budgets_used: used,
            limits: calls,
          }) => ({
            sha256: sha256.toString('hex'),
            created_at_ms,
            expires_at_ms,
            spend_limit_nanos,
            models,
            own,
            used,
            calls,
          }),
        ),
      }),
    )
    const keyOf = (text: string, more: object) => ({
      sha256: key(text),
      created_at_ms: null,
      expires_at_ms: null,
      spend_limit_nanos: null,
      models: null,
      own: {},
      used: {},
      calls: {},
      ...more,
    })
    const plain = {
      status: 'active',
      balance_nanos: null,
      budgets: {},
      budgets_used: {},
      limits: {},
      keys: [],
    }
    expect<unknown>(rows).toEqual([
      {
        ...plain,
        source_id: 'team red',
        account: 'Équipe "Rouge", 北',
        balance_nanos: 99_700_000_000,
        limits: { tokens_per_minute: 900_000 },
        keys: [
          keyOf('red-one', {
            created_at_ms: Date.UTC(2025, 0, 2, 3, 4, 5, 678),
            spend_limit_nanos: 3_750_000_000,
          }),
          keyOf('red-two', {
            created_at_ms: Date.UTC(2025, 0, 2),
            expires_at_ms: Date.UTC(2099, 0, 1),
            models: ['gpt-4o'],
            own: { day: 7_000_000_000 },
            calls: { requests_per_minute: 30 },
          }),
        ],
      },
      {
        ...plain,
        source_id: 'team blue',
        account: 'blue',
        status: 'suspended',
        keys: [keyOf('blue-one', { models: ['gpt-4o'], own: { day: 100_000_000 }, used: { day: 300 } })],
      },
      { ...plain, source_id: 'team over', account: 'over', balance_nanos: -2_750_000_000 },
      {
        ...plain,
        source_id: 'user u1',
        account: 'lena@example.com',
        budgets: { month: 20_000_000_000 },
        budgets_used: { month: 5_000_000_000 },
        keys: [keyOf('own', { spend_limit_nanos: 0 })],
      },
      { ...plain, source_id: 'user u2', account: 'u2' },
      { ...plain, source_id: 'account litellm-keys', account: 'litellm-keys', keys: [keyOf('nobody', {})] },
    ])
    expect(
      left_out.filter(({ kind }) => kind === 'keys').map(({ row, reason }) => `${row}: ${reason}`),
    ).toEqual([
      'key "none" (sk-...dels): Its lists of models allow none. Create a key with models.',
      'key "stolen" (sk-...cked): It is blocked.',
      'key "old" (sk-...ired): It expired on 2026-11-29.',
    ])
    expect(left_out.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['users', 'organisations', 'models', 'limits']),
    )
  })

  test('tables are read from the schema that the address names', async () => {
    await using source = await open('other')
    expect(source.readMoveIn()).rejects.toThrow(/no table LiteLLM_VerificationToken/)
  })

  test('history equals the sums of SQL', async () => {
    await using source = await open()
    const rows = await Array.fromAsync(source.readHistory())
    const own = rows.map(({ charged_nanos, ...row }) => ({ ...row, charged: String(charged_nanos) }))
    const expected: Sum[] = await sql.unsafe(SUMS)
    expect(expected.length).toBeGreaterThan(50)
    expect(sorted(own.map(inOrder))).toEqual(sorted(expected.map(inOrder)))
  })

  test('charged lines are the newest that cost something', async () => {
    await using source = await open()
    const lines = await Array.fromAsync(source.readChargedLines(100))
    const newest: { charged: string; prompt_tokens: number }[] = await sql.unsafe(
      `SELECT round(spend::numeric * 1000000000)::bigint::text AS charged, prompt_tokens FROM "LiteLLM_SpendLogs"
        WHERE round(spend::numeric * 1000000000) > 0 ORDER BY "startTime" DESC LIMIT 100`,
    )
    expect(lines.map(({ charged_nanos }) => String(charged_nanos))).toEqual(
      newest.map(({ charged }) => charged),
    )
    expect(lines.map(({ usage }) => usage.input_tokens + usage.cache_read_tokens)).toEqual(
      newest.map(({ prompt_tokens }) => prompt_tokens),
    )
    expect(lines.every(({ usage }) => usage.cache_read_tokens === 3)).toBe(true)
  })
})

const inOrder = ({ account, model, day_s, calls, input_tokens, output_tokens, charged }: Sum): Sum => ({
  account,
  model,
  day_s,
  calls,
  input_tokens,
  output_tokens,
  charged,
})
