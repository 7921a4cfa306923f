// A source of a move-in without a gateway behind it: accounts, keys, providers, models and a log, as a test describes them.
import {
  type ChargedLine,
  type HistoryRow,
  type IncomingAccount,
  type IncomingKey,
  type IncomingModel,
  type IncomingProvider,
  type MoveIn,
  NO_VOUCHERS,
  type OpenSource,
} from '../../plugins/import/move-in.ts'

export const USD = 1_000_000_000
export const DAY_S = 86_400

/** The text of a key as callers send it. */
export const keyText = (name: string): string => `sk-${name.padEnd(48, 'x')}`

export const incomingKey = (name: string, others: Partial<IncomingKey> = {}): IncomingKey => ({
  source_id: `token ${name}`,
  name,
  sha256: Buffer.from(new Bun.CryptoHasher('sha256').update(keyText(name)).digest()),
  prefix: keyText(name).slice(0, 10),
  created_at_ms: 1_700_000_000_000,
  expires_at_ms: null,
  spend_limit_nanos: null,
  models: null,
  addresses: null,
  budgets: {},
  limits: {},
  ...others,
})

export const incomingAccount = (name: string, others: Partial<IncomingAccount> = {}): IncomingAccount => ({
  source_id: `user ${name}`,
  name,
  display_name: '',
  email: '',
  status: 'active',
  balance_nanos: 0,
  password_hash: null,
  budgets: {},
  limits: {},
  keys: [],
  ...others,
})

/** @param base_url of its server */
export const incomingProvider = (name: string, base_url: string): IncomingProvider => ({
  source_id: `channel ${name}`,
  name,
  fields: { protocol: 'openai', base_url },
  api_keys: [{ variable: `${name.toUpperCase()}_API_KEY`, value: `secret-of-${name}` }],
})

export const incomingModel = (
  id: string,
  provider: string,
  others: Partial<IncomingModel> = {},
): IncomingModel => ({
  id,
  fields: { kind: 'text' },
  routes: [{ provider, model: id, order: 0, weight: 1 }],
  price: { input: '0.50', output: '1.50' },
  notes: [],
  ...others,
})

export interface FakeSource extends Partial<MoveIn> {
  history?: readonly HistoryRow[]
  lines?: readonly ChargedLine[]
}

export function fakeSource({ history = [], lines = [], ...move_in }: FakeSource): OpenSource {
  return {
    readMoveIn: async () => ({
      source: 'new-api',
      accounts: [],
      providers: [],
      models: [],
      vouchers: NO_VOUCHERS,
      left_out: [],
      ...move_in,
    }),
    async *readHistory() {
      yield* history
    },
    async *readChargedLines(limit) {
      yield* lines.slice(0, limit)
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** Many accounts with three keys each, one in ten in debt, one in ten suspended. */
export const manyAccounts = (count: number): IncomingAccount[] =>
  Array.from({ length: count }, (_, at) =>
    incomingAccount(`person${at}`, {
      source_id: `user ${at}`,
      email: `person${at}@example.com`,
      balance_nanos: at % 10 === 9 ? -at * 1_000 : (at + 1) * 1_000_000,
      status: at % 10 === 5 ? 'suspended' : 'active',
      password_hash: at % 2 === 0 ? null : `$2a$10$${'abcdefghij'.repeat(6).slice(0, 53)}`,
      keys: [1, 2, 3].map((number) => incomingKey(`${at}-${number}`)),
    }),
  )
