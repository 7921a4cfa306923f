// Rows of a one-api or new-api with every odd value that such databases have: names of any script, deleted rows, debt, keys of all states.

import { LONG_AGO_S, NOW_S } from './gateway-moments.ts'
import { LOGS, OPTIONS, REDEMPTIONS } from './gateway-money.ts'
import type { Row, Rows } from './gateway-tables.ts'

/** The hash of the password "correct horse". */
export const BCRYPT = '$2b$04$KymLSlZRVt9CcuPgLGpuZOUnj50RfHB3uJcBS.BwrpmfFzuVS6cw.'

/** A key as such a gateway makes it: 48 letters and digits. */
export const keyText = (id: number): string => `${id}k${'aB3dE5fG7h'.repeat(5)}`.slice(0, 48)

const user = (id: number, username: string, changes: Row = {}): Row => ({
  id,
  username,
  password: BCRYPT,
  display_name: username,
  role: 1,
  status: 1,
  email: '',
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: `a${id}`,
  aff_quota: 0,
  ...changes,
})

const USERS: readonly Row[] = [
  user(1, 'root', { role: 100, quota: 100_000_000, email: 'root@example.com' }),
  user(2, 'anna', { quota: 500_000, used_quota: 250_000, email: 'Anna@Example.com', group: 'vip' }),
  user(3, '小明', { display_name: '王小明 🐉', quota: 1, group: null }),
  user(4, 'debtor', { quota: -750_001, email: 'debt@example.com' }),
  user(5, 'banned', { status: 2 }),
  user(6, 'gone', { quota: 5_000, deleted_at: '2026-01-02 03:04:05' }),
  user(7, "o'hara", {
    display_name: 'O\'Hara \\ "tab\t"\nnew; line -- no comment /* nor here',
    email: 'not a mail',
  }),
  user(8, 'mail@example.com', { password: '', aff_quota: 250_000, quota: 123_456_789 }),
  user(9, '', { display_name: '', password: null, email: null, status: 1 }),
  user(10, 'deleted_4f', { status: 3, quota: 10 }),
]

const token = (id: number, user_id: number, changes: Row = {}): Row => ({
  id,
  user_id,
  key: keyText(id),
  status: 1,
  name: `token ${id}`,
  created_time: LONG_AGO_S,
  accessed_time: LONG_AGO_S,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  model_limits_enabled: false,
  model_limits: '',
  used_quota: 0,
  group: '',
  ...changes,
})

const limited = (remain_quota: number): Row => ({ remain_quota, unlimited_quota: false })

const TOKENS: readonly Row[] = [
  token(1, 1, { name: 'default' }),
  token(2, 2, {
    ...limited(250_000),
    name: 'laptop 💻',
    expired_time: NOW_S + 86_400,
    model_limits_enabled: true,
    model_limits: 'gpt-4o, claude-sonnet-4-5-20250929,',
    models: 'gpt-4o,claude-sonnet-4-5-20250929',
    allow_ips: '10.0.0.0/8\n192.0.2.7 ,\n\n',
    subnet: '10.0.0.0/8,192.0.2.7',
  }),
  token(3, 2, { status: 2 }),
  token(4, 2, { status: 3 }),
  token(5, 2, { ...limited(0), status: 4 }),
  token(6, 2, { expired_time: NOW_S - 1 }),
  token(7, 3, limited(-500)),
  token(8, 3, { deleted_at: '2026-01-02 03:04:05' }),
  token(9, 6),
  token(10, 99),
  token(11, 2, { model_limits_enabled: true, model_limits: '' }),
  token(12, 3, { group: 'vip', name: null, allow_ips: null, subnet: null, models: null }),
  token(13, 4, { allow_ips: 'not-an-address', subnet: 'not-an-address' }),
  token(14, 4, { key: '0123456789abcdef0123456789abcdef', name: '', created_time: 0 }),
  token(15, 5),
  token(16, 2, { key: '' }),
]

const channel = (id: number, type: number, name: string, models: string, changes: Row = {}): Row => ({
  id,
  type,
  name,
  key: `upstream-key-${id}`,
  status: 1,
  weight: 0,
  created_time: LONG_AGO_S,
  base_url: '',
  other: '',
  models,
  group: 'default',
  model_mapping: '',
  priority: 0,
  ...changes,
})

export const SERVICE_ACCOUNT = JSON.stringify(
  {
    type: 'service_account',
    project_id: 'acme-1',
    private_key: 'secret-of-vertex',
    client_email: 'a@acme-1',
  },
  null,
  2,
)

/** The numbers of channel types above 25 differ between the two. */
interface Types {
  readonly vertex: number
  readonly aws: number
  readonly zhipu: number
  readonly ollama: number
}

const NEW_API: Types = { vertex: 41, aws: 33, zhipu: 26, ollama: 4 }
const ONE_API: Types = { vertex: 42, aws: 33, zhipu: 40, ollama: 30 }

const channels = (types: Types): Row[] => [
  channel(
    1,
    1,
    'OpenAI main',
    'gpt-4o,gpt-4o-mini,text-embedding-3-small,dall-e-3,whisper-1,tts-1,rerank-x',
    {
      group: 'default,vip',
      priority: 10,
      weight: 5,
    },
  ),
  channel(2, 1, 'OpenAI main', 'gpt-4o', {
    key: 'second-a\nsecond-b\nsecond-c\n',
    base_url: 'https://proxy.example.com/',
    weight: null,
    model_mapping: '{"gpt-4o":"gpt-4o-2024-08-06"}',
    param_override: '{"temperature":0}',
    header_override: '{"X-Team":"acme"}',
    setting: '{"proxy":"socks5://user:proxy-secret@127.0.0.1:1080"}',
    system_prompt: 'You are helpful.',
    openai_organization: 'org-123',
    channel_info:
      '{"is_multi_key":true,"multi_key_size":3,"multi_key_status_list":{"1":2},"multi_key_mode":"random"}',
  }),
  channel(3, 3, 'Azure 北京', 'gpt-4.1', { base_url: 'https://acme.openai.azure.com/', other: '2024-10-21' }),
  channel(4, 14, 'claude', 'claude-sonnet-4-5-20250929'),
  channel(5, 24, 'Gemini', 'gemini-2.5-flash', { priority: null }),
  channel(6, types.vertex, 'Vertex', 'gemini-2.5-pro,claude-sonnet-4-5-20250929', {
    key: SERVICE_ACCOUNT,
    other: '{"default":"global","claude-sonnet-4-5-20250929":"us-east5"}',
    config: JSON.stringify({
      region: 'global',
      vertex_ai_project_id: 'acme-1',
      vertex_ai_adc: SERVICE_ACCOUNT,
    }),
    model_mapping: '{"claude-sonnet-4-5-20250929":"claude-sonnet-4-5@20250929"}',
  }),
  channel(7, 1, 'off', 'gpt-4o', { status: 2 }),
  channel(8, 1, 'broken', 'gpt-4o', { status: 3 }),
  channel(9, 2, 'pictures', 'mj_imagine'),
  channel(10, types.zhipu, 'glm', 'glm-4-plus', { group: 'svip' }),
  channel(11, types.aws, 'aws', 'claude-3-haiku-20240307', { key: 'AKIA|secret|us-east-1' }),
  channel(12, 1, '', 'my-finetune', { base_url: 'http://10.0.0.9:8000' }),
  channel(13, types.ollama, 'local', 'llama3', { key: '', base_url: 'http://10.0.0.9:11434' }),
  channel(14, 1, 'bad mapping', 'gpt-4o-mini', { model_mapping: '{not json' }),
  channel(15, 1, 'empty', ' , '),
]

const abilities = (list: readonly Row[]): Row[] =>
  list.flatMap(({ id = null, models, group, status, priority = 0, weight = 0 }) =>
    String(models)
      .split(',')
      .flatMap((model) =>
        String(group)
          .split(',')
          .map((of_group) => ({
            group: of_group,
            model: model.trim(),
            channel_id: id,
            enabled: status === 1,
            priority,
            weight,
          })),
      )
      .filter(({ model }) => model !== ''),
  )

export function oddRows(program: 'one-api' | 'new-api'): Rows {
  const list = channels(program === 'one-api' ? ONE_API : NEW_API)
  return {
    users: USERS,
    tokens: TOKENS,
    channels: list,
    abilities: abilities(list),
    options: OPTIONS,
    redemptions: REDEMPTIONS,
    logs: LOGS,
    user_subscriptions: [
      {
        id: 1,
        user_id: 2,
        plan_id: 1,
        start_time: LONG_AGO_S,
        end_time: NOW_S + 1,
        status: 'active',
        source: 'order',
      },
      {
        id: 2,
        user_id: 3,
        plan_id: 1,
        start_time: LONG_AGO_S,
        end_time: NOW_S - 1,
        status: 'expired',
        source: 'order',
      },
    ],
  }
}
