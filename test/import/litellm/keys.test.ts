// LiteLLM's keys, teams and users as accounts and keys here: hashes, budgets, models, owners, and rows that are left out.
import { describe, expect, test } from 'bun:test'
import type { IncomingAccount, IncomingKey, MoveIn } from '../../../plugins/import/move-in.ts'
import type { SourceRow } from '../../../plugins/import/source/rows.ts'
import { isImportedPrefix } from '../../../src/access/secret.ts'
import { hashOf, keyRow, type MemoryRows, memoryTables } from './memory-tables.ts'
import { moveIn, reasonsOf } from './opened.ts'

const NOW_MS = Date.UTC(2026, 10, 29, 12)
const CONFIG = `
model_list:
  - {model_name: gpt-4o, litellm_params: {model: openai/gpt-4o}, model_info: {access_groups: [beta, all-openai]}}
  - {model_name: mini, litellm_params: {model: openai/gpt-4o-mini}, model_info: {access_groups: [all-openai]}}
  - {model_name: claude, litellm_params: {model: anthropic/claude-sonnet-4-5}}
router_settings: {model_group_alias: {gpt-4: gpt-4o}}
`

const read = (rows: MemoryRows, config = CONFIG): Promise<MoveIn> =>
  moveIn(config, { tables: memoryTables(rows), now_ms: NOW_MS })

const TEXT = 'sk-Ab3dEfGh1234567890xyzW'

/** The key of a row, in its account. */
async function onlyKey(
  row: SourceRow,
  rows: MemoryRows = {},
): Promise<{ key: IncomingKey; account: IncomingAccount; all: MoveIn }> {
  const all = await read({ VerificationToken: [keyRow(TEXT, row)], ...rows })
  const [account] = all.accounts.filter(({ keys }) => keys.length > 0)
  const [key, ...more] = account?.keys ?? []
  if (!account || !key || more.length > 0) throw new Error(`not one key: ${JSON.stringify(all.left_out)}`)
  return { key, account, all }
}

test('a key is known by the SHA-256 of its text, whether its row has the hash or the text', async () => {
  const { key, account } = await onlyKey({ key_alias: 'laptop', created_at: '2025-06-01 10:00:00' })
  expect(key).toEqual({
    source_id: `key ${hashOf(TEXT).slice(0, 16)}`,
    name: 'laptop',
    sha256: Buffer.from(hashOf(TEXT), 'hex'),
    prefix: 'sk-...xyzW',
    created_at_ms: Date.UTC(2025, 5, 1, 10),
    expires_at_ms: null,
    spend_limit_nanos: null,
    models: null,
    addresses: null,
    budgets: {},
    budgets_used: {},
    limits: {},
  })
  expect(account).toMatchObject({
    source_id: 'account litellm-keys',
    name: 'litellm-keys',
    balance_nanos: null,
  })
  const { key: in_text } = await onlyKey({ token: TEXT })
  expect(in_text.sha256.toString('hex')).toBe(hashOf(TEXT))
})

describe('a key with a budget', () => {
  const reset = '2026-12-10T00:00:00'
  // The row, spend limit, budgets, used.
  test.each([
    [{ max_budget: 10, spend: 2.5 }, 7_500_000_000, {}, {}],
    [{ max_budget: 10, spend: 12.25 }, 0, {}, {}],
    [{ max_budget: 0, spend: 0 }, 0, {}, {}],
    [{ max_budget: 0.1, spend: 7.5e-8 }, 99_999_925, {}, {}],
    [{ max_budget: null, spend: 5 }, null, {}, {}],
    [
      { max_budget: 5, spend: 1, budget_duration: '30d', budget_reset_at: reset },
      null,
      { month: 5_000_000_000 },
      { month: 1_000_000_000 },
    ],
    [
      { max_budget: 5, spend: 1, budget_duration: '1mo' },
      null,
      { month: 5_000_000_000 },
      { month: 1_000_000_000 },
    ],
    [{ max_budget: 5, spend: 0, budget_duration: '24h' }, null, { day: 5_000_000_000 }, {}],
    [
      { max_budget: 5, spend: 9, budget_duration: '1d' },
      null,
      { day: 5_000_000_000 },
      { day: 9_000_000_000 },
    ],
    [
      { max_budget: 5, spend: 1, budget_duration: '7d' },
      null,
      { week: 5_000_000_000 },
      { week: 1_000_000_000 },
    ],
    [
      { max_budget: 5, spend: 1, budget_duration: 'weekly' },
      null,
      { week: 5_000_000_000 },
      { week: 1_000_000_000 },
    ],
    [
      { max_budget: 5, spend: 1, budget_duration: '1w' },
      null,
      { week: 5_000_000_000 },
      { week: 1_000_000_000 },
    ],
    [
      { max_budget: 5, spend: 1, budget_duration: '5h' },
      null,
      { '5h': 5_000_000_000 },
      { '5h': 1_000_000_000 },
    ],
    // Its period is over, and LiteLLM has not yet started the next one.
    [
      { max_budget: 5, spend: 4, budget_duration: '30d', budget_reset_at: '2026-11-20 00:00:00' },
      null,
      { month: 5_000_000_000 },
      {},
    ],
    [
      {
        budget_limits: [
          { budget_duration: '24h', max_budget: 1 },
          { budget_duration: '30d', max_budget: 10 },
        ],
      },
      null,
      { day: 1_000_000_000, month: 10_000_000_000 },
      {},
    ],
    [
      {
        max_budget: 4,
        budget_duration: '1d',
        budget_limits: '[{"budget_duration": "24h", "max_budget": 6}]',
      },
      null,
      { day: 4_000_000_000 },
      {},
    ],
    // An amount above the safe integers is no limit.
    [{ max_budget: 1e12, spend: 1 }, null, {}, {}],
  ])('%p', async (row, spend_limit_nanos, budgets, budgets_used) => {
    const { key, all } = await onlyKey(row)
    expect(key).toMatchObject({ spend_limit_nanos })
    expect({ budgets: key.budgets, budgets_used: key.budgets_used }).toEqual({
      budgets,
      budgets_used,
    } as never)
    expect(reasonsOf(all, 'budget periods')).toEqual([])
  })

  // A duration that is not a period here, and its replacement.
  test.each([
    ['1h', { budgets: { '5h': 5_000_000_000 } }, /five hours/],
    ['30m', { budgets: { '5h': 5_000_000_000 } }, /five hours/],
    ['12h', { budgets: { day: 5_000_000_000 } }, /budget for a day/],
    ['2d', { budgets: { week: 5_000_000_000 } }, /budget for a week/],
    ['14d', { budgets: { month: 5_000_000_000 } }, /budget for a month/],
    ['60d', { budgets: {}, spend_limit_nanos: 3_000_000_000 }, /as a total/],
    ['2mo', { budgets: {}, spend_limit_nanos: 3_000_000_000 }, /as a total/],
    ['0d', { budgets: {}, spend_limit_nanos: 3_000_000_000 }, /as a total/],
    ['often', { budgets: {}, spend_limit_nanos: 3_000_000_000 }, /as a total/],
  ])('for %s gets another period or a total', async (budget_duration, expected, reason) => {
    const { key, all } = await onlyKey({ max_budget: 5, spend: 2, budget_duration, key_alias: 'x' })
    expect(key).toMatchObject(expected)
    expect(reasonsOf(all, 'budget periods')).toEqual([expect.stringMatching(reason)])
  })

  test('from the table of budgets prefers its own settings', async () => {
    const BudgetTable = [
      {
        budget_id: 'b',
        max_budget: 8,
        budget_duration: '7d',
        rpm_limit: 60n,
        tpm_limit: '9000',
        max_parallel_requests: 3,
      },
    ]
    const { key } = await onlyKey({ budget_id: 'b', rpm_limit: 10, spend: 1 }, { BudgetTable })
    expect(key).toMatchObject({
      budgets: { week: 8_000_000_000 },
      limits: { requests_per_minute: 10, tokens_per_minute: 9_000, concurrent_calls: 3 },
    })
    const { key: without } = await onlyKey({ budget_id: 'deleted', spend: 1 }, { BudgetTable })
    expect(without).toMatchObject({ budgets: {}, spend_limit_nanos: null, limits: {} })
  })
})

describe('a key may call', () => {
  const team = (models: readonly string[]) => ({ TeamTable: [{ team_id: 't', team_alias: 'red', models }] })
  const user = (models: readonly string[]) => ({ UserTable: [{ user_id: 'u', models }] })
  // The key's row, further rows, its models here.
  test.each<[SourceRow, MemoryRows, readonly string[] | null]>([
    [{ models: [] }, {}, null],
    [{ models: ['all-proxy-models'] }, {}, null],
    [{ models: ['*'] }, {}, null],
    [{ models: ['claude', 'mini'] }, {}, ['claude', 'mini']],
    [{ models: '{claude,"mini"}' }, {}, ['claude', 'mini']],
    // And the alias of a model that it may call.
    [{ models: ['gpt-4o'] }, {}, ['gpt-4o', 'gpt-4']],
    [{ models: ['beta'] }, {}, ['gpt-4o', 'gpt-4']],
    [{ models: ['all-openai', 'claude'] }, {}, ['gpt-4o', 'mini', 'claude', 'gpt-4']],
    [{ models: ['anthropic/*'] }, {}, ['anthropic/*', 'claude']],
    [{ models: ['all-team-models'], team_id: 't' }, team([]), null],
    [{ models: ['all-team-models'], team_id: 't' }, team(['claude']), ['claude']],
    [{ models: [], team_id: 't' }, team(['claude']), ['claude']],
    [{ models: ['claude', 'mini'], team_id: 't' }, team(['mini', 'gpt-4o']), ['mini']],
    [{ models: ['claude'], team_id: 't' }, team(['all-proxy-models']), ['claude']],
    [{ models: ['anthropic/*'], team_id: 't' }, team(['claude']), ['claude']],
    [
      { models: ['openai/*'], team_id: 't' },
      team(['openai/*', 'claude']),
      ['openai/*', 'gpt-4o', 'mini', 'gpt-4'],
    ],
    [{ models: [], user_id: 'u' }, user(['mini']), ['mini']],
    // The user's list applies only to keys without a team.
    [{ models: [], user_id: 'u', team_id: 't' }, { ...team([]), ...user(['no-default-models']) }, null],
    [
      { models: [], team_id: 't' },
      {
        TeamTable: [{ team_id: 't', models: [], organization_id: 'o' }],
        OrganizationTable: [{ organization_id: 'o', organization_alias: 'acme', models: ['claude'] }],
      },
      ['claude'],
    ],
    [
      { models: ['mini'], access_group_ids: ['g'] },
      { AccessGroupTable: [{ access_group_id: 'g', access_model_names: ['claude'] }] },
      ['mini', 'claude'],
    ],
    [{ models: ['not here', 'mini'] }, {}, ['mini']],
  ])('%p %p: %p', async (row, rows, models) => {
    expect((await onlyKey(row, rows)).key.models).toEqual(models)
  })

  test.each<[SourceRow, MemoryRows]>([
    [{ models: ['claude'], team_id: 't' }, team(['mini'])],
    [{ models: [], user_id: 'u' }, user(['no-default-models'])],
  ])('no model, and is left out: %p %p', async (row, rows) => {
    const all = await read({ VerificationToken: [keyRow(TEXT, row)], ...rows })
    expect(all.accounts.flatMap(({ keys }) => keys)).toEqual([])
    expect(reasonsOf(all, 'keys').join()).toMatch(/allow none/)
  })

  test('models of wildcard entries that it names, which are imported', async () => {
    const config = 'model_list: [{model_name: "openai/*", litellm_params: {model: "openai/*"}}]'
    const rows = {
      VerificationToken: [keyRow(TEXT, { models: ['openai/gpt-4o'] })],
      DailyUserSpend: [
        { user_id: 'u', date: '2026-11-01', api_key: hashOf(TEXT), model_group: 'openai/gpt-4o-mini' },
      ],
    }
    const all = await read(rows, config)
    expect(all.models.map(({ id }) => id)).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini'])
    expect(all.accounts[0]?.keys[0]?.models).toEqual(['openai/gpt-4o'])
  })
})

describe('a key is left out', () => {
  test.each([
    [{ blocked: true }, /It is blocked/],
    [{ expires: '2026-11-29 11:59:59' }, /expired on 2026-11-29/],
    [{ expires: new Date(NOW_MS) }, /expired/],
    [{ token: 'abc' }, /not a SHA-256/],
    [{ token: null }, /not a SHA-256/],
    [{ allowed_routes: ['management_routes'] }, /management alone/],
    [{ project_id: 'p' }, /project is blocked/],
  ])('%p', async (row, reason) => {
    const all = await read({
      VerificationToken: [keyRow(TEXT, { key_alias: 'Größe', ...row })],
      ProjectTable: [{ project_id: 'p', blocked: true }],
    })
    expect(all.accounts.flatMap(({ keys }) => keys)).toEqual([])
    expect(reasonsOf(all, 'keys')).toEqual([expect.stringMatching(reason)])
    expect(reasonsOf(all, 'keys').join()).toContain('key "Größe" (sk-...xyzW): ')
    expect(JSON.stringify(all)).not.toContain(TEXT)
  })

  test('if it is a session of the dashboard', async () => {
    const sessions = Array.from({ length: 7 }, (_, at) =>
      keyRow(`sk-session-${at}`, { team_id: 'litellm-dashboard' }),
    )
    const all = await read({ VerificationToken: sessions })
    expect(all.accounts).toEqual([])
    expect(reasonsOf(all, 'dashboard sessions')).toHaveLength(7)
  })

  test('only once it has expired', async () => {
    const { key } = await onlyKey({ expires: '2026-11-29T12:00:01.000Z' })
    expect(key.expires_at_ms).toBe(NOW_MS + 1_000)
  })
})

test('prefixes distinguish keys with the same end, and keys without a known end', async () => {
  const texts = [
    'sk-aaaaaaaaaaaaaaaa1234',
    'sk-bbbbbbbbbbbbbbbb1234',
    'sk-cccccccccccccccc1234',
    'sk-dddddddddddddddd5678',
  ]
  const rows = [
    ...texts.map((text) => keyRow(text)),
    keyRow('sk-no-name-0', { key_name: null }),
    keyRow('sk-odd', { key_name: 'sk-...ä$%&' }),
  ]
  const { accounts } = await read({ VerificationToken: rows })
  const prefixes = accounts.flatMap(({ keys }) => keys.map(({ prefix }) => prefix))
  expect(new Set(prefixes).size).toBe(6)
  expect(prefixes.filter((prefix) => !isImportedPrefix(prefix))).toEqual([])
  expect(prefixes.slice(0, 4)).toEqual([
    ...texts.slice(0, 3).map((text) => `sk-${hashOf(text).slice(0, 3)}1234`),
    'sk-...5678',
  ])
})

describe('the account of a key is', () => {
  const rows: MemoryRows = {
    TeamTable: [{ team_id: 't', team_alias: 'red', models: [] }],
    UserTable: [{ user_id: 'u', user_email: 'u@example.com', models: [] }],
  }
  test.each([
    [{ team_id: 't', user_id: 'u' }, 'team t', 'red'],
    [{ team_id: 't' }, 'team t', 'red'],
    [{ user_id: 'u' }, 'user u', 'u@example.com'],
    // Its team is deleted.
    [{ team_id: 'gone', user_id: 'u' }, 'user u', 'u@example.com'],
    [{ team_id: 'gone' }, 'account litellm-keys', 'litellm-keys'],
    [{ user_id: 'unknown' }, 'user unknown', 'unknown'],
    [{ user_id: 'default_user_id' }, 'account litellm-keys', 'litellm-keys'],
    [{}, 'account litellm-keys', 'litellm-keys'],
    [{ team_id: '', user_id: '' }, 'account litellm-keys', 'litellm-keys'],
  ])('%p: %s', async (row, source_id, name) => {
    const { account } = await onlyKey(row, rows)
    expect(account).toMatchObject({ source_id, name })
  })
})

describe('a team is an account', () => {
  // The row and the account.
  test.each([
    [
      { team_alias: 'Équipe 北', max_budget: 100, spend: 40.5 },
      { name: 'Équipe 北', display_name: 'Équipe 北', balance_nanos: 59_500_000_000 },
    ],
    [{ team_alias: null }, { name: 't', display_name: '', balance_nanos: null, budgets: {} }],
    [{ max_budget: 10, spend: 12 }, { balance_nanos: -2_000_000_000 }],
    [{ max_budget: 0, spend: 0 }, { balance_nanos: 0 }],
    [
      { max_budget: 10, spend: 3, budget_duration: '30d' },
      { balance_nanos: null, budgets: { month: 10_000_000_000 }, budgets_used: { month: 3_000_000_000 } },
    ],
    [
      { max_budget: 10, spend: 3, budget_duration: '90d' },
      { balance_nanos: 7_000_000_000, budgets: {} },
    ],
    [{ blocked: true }, { status: 'suspended' }],
    [{ blocked: false }, { status: 'active' }],
    [
      { rpm_limit: 100, tpm_limit: 5_000n, max_parallel_requests: 2 },
      { limits: { requests_per_minute: 100, tokens_per_minute: 5_000, concurrent_calls: 2 } },
    ],
    [{ rpm_limit: null, tpm_limit: 0 }, { limits: {} }],
  ])('%p', async (row, expected) => {
    const { accounts } = await read({ TeamTable: [{ team_id: 't', models: [], ...row }] })
    expect(accounts).toEqual([
      expect.objectContaining({ source_id: 'team t', email: '', password_hash: null, ...expected }),
    ])
  })
})

test('a user with a key, a budget, or neither a team nor an office is an account; others are reported', async () => {
  const all = await read({
    VerificationToken: [
      keyRow(TEXT, { user_id: 'with-key' }),
      keyRow('sk-blocked-key-1', { user_id: 'blocked-key', blocked: true }),
    ],
    UserTable: [
      {
        user_id: 'with-key',
        user_alias: 'Zoë',
        user_email: 'z@example.com',
        password: 'scrypt:x',
        teams: ['t'],
      },
      { user_id: 'blocked-key', teams: ['t'] },
      { user_id: 'with-budget', max_budget: 3, spend: 1, teams: ['t'] },
      { user_id: 'alone', teams: [] },
      { user_id: 'member', teams: '{t}' },
      { user_id: 'old-member', teams: null, team_id: 't' },
      { user_id: 'default_user_id', user_role: 'proxy_admin', teams: [] },
    ],
  })
  expect(
    all.accounts.map(({ source_id, name, display_name, email, balance_nanos, password_hash, keys }) => [
      source_id,
      name,
      display_name,
      email,
      balance_nanos,
      password_hash,
      keys.length,
    ]),
  ).toEqual([
    ['user with-key', 'Zoë', 'Zoë', 'z@example.com', null, null, 1],
    ['user blocked-key', 'blocked-key', '', '', null, null, 0],
    ['user with-budget', 'with-budget', '', '', 2_000_000_000, null, 0],
    ['user alone', 'alone', '', '', null, null, 0],
  ])
  expect(reasonsOf(all, 'users')).toEqual([
    expect.stringMatching(/^"member": .*only keys of teams/),
    expect.stringMatching(/^"old-member": .*only keys of teams/),
    expect.stringMatching(/^"default_user_id": An administrator without keys/),
  ])
})

describe('rows without a counterpart', () => {
  test.each<[SourceRow, RegExp]>([
    [{ soft_budget: 5 }, /soft_budget of key "a".*\[alerts\]/],
    [{ model_max_budget: { 'gpt-4o': { budget_limit: 1 } } }, /model_max_budget/],
    [{ tpd_limit: 1_000n }, /tpd_limit/],
    [{ allowed_routes: ['/chat/completions'] }, /allowed_routes/],
    [{ metadata: { model_rpm_limit: { 'gpt-4o': 5 } } }, /limits by model/],
    [{ metadata: '{"guardrails": ["pii"]}' }, /guardrails/],
    [{ metadata: { temp_budget_increase: 5 } }, /temp_budget_increase/],
    [{ auto_rotate: true }, /auto_rotate/],
    [{ aliases: { small: 'mini' } }, /names of models/],
  ])('%p is reported with its owner', async (row, reason) => {
    const { all } = await onlyKey({ key_alias: 'a', ...row })
    expect(reasonsOf(all, 'limits')).toEqual([expect.stringMatching(reason)])
  })

  test.each<[SourceRow]>([
    [
      {
        soft_budget: null,
        model_max_budget: {},
        metadata: { model_rpm_limit: {} },
        allowed_routes: [],
        aliases: '{}',
      },
    ],
    [
      {
        soft_budget_cooldown: true,
        allowed_routes: ['llm_api_routes'],
        auto_rotate: false,
        metadata: 'no json',
      },
    ],
  ])('%p is not reported', async (row) => {
    const { all } = await onlyKey(row)
    expect(reasonsOf(all, 'limits')).toEqual([])
  })

  // A table without `LiteLLM_`, a row, the kind and the line.
  test.each<[string, SourceRow, string, RegExp]>([
    [
      'ProxyModelTable',
      { model_name: 'stored', litellm_params: { api_key: 'cipher' } },
      'models',
      /in the database: "stored": .*salt key/,
    ],
    [
      'CredentialsTable',
      { credential_name: 'main', credential_values: { api_key: 'cipher' } },
      'provider credentials',
      /"main": .*salt key/,
    ],
    ['Config', { param_name: 'router_settings', param_value: { a: 1 } }, 'settings', /"router_settings"/],
    [
      'OrganizationTable',
      { organization_id: 'o', organization_alias: 'acme', models: [] },
      'organisations',
      /"acme"/,
    ],
    ['ProjectTable', { project_id: 'p', project_alias: 'apollo' }, 'projects', /"apollo"/],
    ['TeamMembership', { user_id: 'u', team_id: 't', budget_id: 'b' }, 'limits', /budget in team "t" of "u"/],
    ['EndUserTable', { user_id: 'customer-1', alias: null }, 'end users', /"customer-1"/],
    ['DeprecatedVerificationToken', { active_token_id: 'f'.repeat(64) }, 'rotated keys', /"ffffffff"/],
    ['TagTable', { tag_name: 'blue', budget_id: 'b' }, 'limits', /budget of tag "blue"/],
  ])('a row of %s is reported', async (table, row, kind, line) => {
    const all = await read({ [table]: [row] })
    expect(reasonsOf(all, kind)).toEqual([expect.stringMatching(line)])
    expect(JSON.stringify(all)).not.toContain('cipher')
  })

  test('members and tags without a budget are not reported', async () => {
    const all = await read({
      TeamMembership: [{ user_id: 'u', team_id: 't', budget_id: null }],
      TagTable: [{ tag_name: 'x' }],
    })
    expect(all.left_out).toEqual([])
  })
})
