// The list of imported history: for the console, in files and on the command line.
import { countColumn, usdColumn } from '../../../src/app/command-line/table.ts'
import { integer, money, tableOnly, text } from '../../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../../src/app/list/list.ts'
import { ModelName } from '../../../src/http/parameters.ts'
import { type ListedHistory, listHistory } from './listing.ts'

export const imported_history = defineList<ListedHistory>()({
  name: 'history',
  field: 'history',
  of: 'account',
  max_rows: 1_000,
  filters: { model: { schema: ModelName, option: ['--model <id>', 'only this model'] } },
  columns: {
    id: integer(({ id }) => id, { csv_name: false }),
    day: text(({ day_s }) => new Date(day_s * 1_000).toISOString().slice(0, 10), {
      description: 'Day in UTC.',
      table: { head: 'DAY' },
    }),
    account_id: integer(({ account_id }) => account_id, { csv_name: false }),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    source: text(({ source }) => source, {
      description: 'The gateway that served the calls.',
      table: { head: 'AT', elastic: true, spare: 1 },
    }),
    model: text(({ model }) => model, { table: { head: 'MODEL', elastic: true } }),
    calls: integer(({ calls }) => calls),
    calls_column: tableOnly(countColumn('CALLS', ({ calls }) => calls)),
    input_tokens: integer(({ input_tokens }) => input_tokens, {
      table: { head: 'INPUT TOKENS', right: true },
    }),
    output_tokens: integer(({ output_tokens }) => output_tokens, {
      table: { head: 'OUTPUT TOKENS', right: true },
    }),
    charged: money(({ charged_nanos }) => charged_nanos, { description: 'Charge of that gateway' }),
    usd: tableOnly(usdColumn('USD', ({ charged_nanos }) => charged_nanos)),
  },
  read: listHistory,
})

/** A row in the console's API. */
export type ConsoleHistory = ConsoleRowOf<typeof imported_history>
