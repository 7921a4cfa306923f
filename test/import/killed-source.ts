// The source of imports that are killed: two batches of accounts and of history.
import { importedVoucher } from '../../plugins/vouchers/index.ts'
import { DAY_S, type FakeSource, incomingModel, incomingProvider, manyAccounts } from './fake-source.ts'

export const KILLED_SOURCE: FakeSource = {
  accounts: manyAccounts(120),
  providers: [incomingProvider('main', 'http://127.0.0.1:9/v1')],
  models: [incomingModel('gpt-4o', 'main')],
  vouchers: {
    unused: Array.from({ length: 120 }, (_, at) =>
      importedVoucher({ code: `voucher-${at}`, amount_nanos: 1_000 + at, expires_at_ms: null }),
    ),
    ended: [],
  },
  history: Array.from({ length: 600 }, (_, at) => ({
    account: `user ${at % 120}`,
    model: 'gpt-4o',
    day_s: DAY_S * (20_000 + Math.floor(at / 120)),
    calls: 2,
    input_tokens: 10,
    output_tokens: 5,
    charged_nanos: 1_000,
  })),
}
