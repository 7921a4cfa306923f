// Settings, vouchers and logs of a one-api or new-api: ratios, prices, and charges by them.
import { LONG_AGO_S, NOW_S } from './gateway-moments.ts'
import type { Row } from './gateway-tables.ts'

const option = (key: string, value: unknown): Row => ({
  key,
  value: typeof value === 'string' ? value : JSON.stringify(value),
})

export const OPTIONS: readonly Row[] = [
  option('GroupRatio', { default: 1, vip: 0.8, svip: 1, 'edit "this"': 1.5 }),
  option('ModelRatio', {
    'gpt-4o': 1.25,
    'gpt-4.1': 1,
    'text-embedding-3-small': 0.01,
    'whisper-1': 15,
    'tts-1': 7.5,
    'claude-sonnet-4-5-20250929': 1.5,
    'gemini-2.5-flash': 0.15,
    'gemini-2.5-pro': 0.625,
    'glm-4-plus': 3.42465753424657,
    llama3: 0,
  }),
  option('CompletionRatio', { 'gpt-4o': 4, 'gpt-4.1': 4, 'glm-4-plus': 1 }),
  option('CacheRatio', { 'gpt-4o': 0.5, 'gpt-4.1': 0.25, 'claude-sonnet-4-5-20250929': 0.1 }),
  option('ModelPrice', { 'dall-e-3': 0.04, mj_imagine: 0.1, 'rerank-x': 0.002, 'gpt-4o-mini': 0.01 }),
  option('SystemName', 'Example'),
  option('SMTPToken', 'mail-secret'),
]

export const REDEMPTIONS: readonly Row[] = [
  {
    id: 1,
    user_id: 1,
    key: 'voucher-code-1',
    status: 1,
    name: 'gift',
    quota: 1_000_000,
    created_time: LONG_AGO_S,
  },
  {
    id: 2,
    user_id: 1,
    key: 'voucher-code-2',
    status: 3,
    name: 'gift',
    quota: 1_000_000,
    created_time: LONG_AGO_S,
  },
  {
    id: 3,
    user_id: 1,
    key: 'voucher-code-3',
    status: 2,
    name: 'gift',
    quota: 1_000_000,
    created_time: LONG_AGO_S,
  },
  {
    id: 4,
    user_id: 1,
    key: 'voucher-code-4',
    status: 1,
    name: '',
    quota: 500_000,
    deleted_at: '2026-01-02 03:04:05',
  },
]

const line = (id: number, changes: Row): Row => ({
  id,
  user_id: 2,
  created_at: Date.UTC(2026, 9, 30) / 1000 + id,
  type: 2,
  content: '',
  username: 'anna',
  token_name: 'laptop',
  model_name: 'gpt-4o',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  is_stream: false,
  channel_id: 1,
  token_id: 2,
  ...changes,
})

export const LOGS: readonly Row[] = [
  line(1, { type: 1, content: 'top-up', quota: 999 }),
  // 1000 x 1.25 + 100 x 1.25 x 4
  line(2, {
    quota: 1_750,
    prompt_tokens: 1_000,
    completion_tokens: 100,
    other:
      '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"cache_tokens":0,"cache_ratio":0,"model_price":-1}',
  }),
  // (200 + 800 x 0.5 + 100 x 4) x 1.25 x 0.8
  line(3, {
    quota: 1_000,
    prompt_tokens: 1_000,
    completion_tokens: 100,
    group: 'vip',
    other:
      '{"model_ratio":1.25,"group_ratio":0.8,"completion_ratio":4,"cache_tokens":800,"cache_ratio":0.5,"model_price":-1}',
  }),
  line(4, { type: 5, content: 'upstream error', quota: 0 }),
  line(5, { created_at: NOW_S - 100, user_id: 3, username: '小明', quota: 0, other: '' }),
  line(6, {
    created_at: NOW_S - 90,
    model_name: 'dall-e-3',
    quota: 20_000,
    prompt_tokens: 1,
    other: '{"model_price":0.04,"group_ratio":1}',
  }),
  line(7, {
    created_at: NOW_S - 80,
    user_id: 6,
    username: 'gone',
    quota: 5,
    prompt_tokens: 4,
    other: 'not json',
  }),
]
