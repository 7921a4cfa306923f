// Command `statement`: the monthly statement of an account, from the opening to the closing balance.
import { type Command, InvalidArgumentError } from 'commander'
import { type Parties, partiesOf } from '../../src/access/account-details.ts'
import { accountByName } from '../../src/access/accounts.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { readCatalogueOf, withDatabase } from '../../src/app/command-line/data-folder.ts'
import type { Column } from '../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { monthOf, UTC } from '../../src/domain/zones.ts'
import { csvOf } from '../../src/http/csv.ts'
import { money } from '../../src/http/views.ts'
import { STATEMENT_COLUMNS, type StatementLine, statementLines, statementOf } from './statement.ts'

export function addStatementCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('statement <account>'), 'statement alice --month 2026-11')
    .summary("Print an account's statement of a month.")
    .description(
      "Print an account's statement of a month (UTC): seller and buyer, the opening balance, what moved it, and the closing balance. " +
        'A call is charged in the month in which it ends.',
    )
    .option('--month <month>', 'the month, such as 2026-11 (default: this month)', readMonth)
    .option('--csv', 'print CSV with all columns')
    .action(async (name: string, options: { month?: number; csv?: boolean }, command: Command) => {
      const { folder, answerList, tableOf } = contextOf(command, deps)
      const month = monthOf(options.month ?? deps.now(), UTC)
      const reading = await readCatalogueOf(folder)
      const catalogue = 'catalogue' in reading ? reading.catalogue : undefined
      const { statement, ...head } = await withDatabase(folder, 'read', async (db) => {
        const account = await accountByName(db, name)
        const time = { from_ms: month.start_ms, until_ms: month.end_ms }
        return {
          account: account.name,
          month: month.name,
          ...(await partiesOf(db, account, catalogue)),
          statement: await statementOf(db, account.id, time),
        }
      })
      const lines = statementLines(statement, head)
      answerList(options.csv, {
        value: () => ({ ...head, zone: 'UTC', lines: lines.map(view) }),
        text: () =>
          [
            `Statement of ${head.account}, ${head.month} (UTC)`,
            partiesText(head),
            tableOf(statement.covered.length > 0 ? WITH_COVERED : COLUMNS, lines.filter(isPrinted), ''),
          ].join('\n\n'),
        csv: () => csvOf(STATEMENT_COLUMNS, lines),
      })
    })
}

/** Formats seller and buyer as indented blocks with a label. */
const partiesText = ({ seller, buyer }: Parties): string =>
  [...(seller === '' ? [] : [`Seller  ${linesOf(seller)}`]), `Buyer   ${linesOf(buyer)}`].join('\n')

const INDENT = ' '.repeat('Seller  '.length)
const linesOf = (party: string): string => party.trim().split(/\r?\n/).join(`\n${INDENT}`)

/** @throws InvalidArgumentError */
function readMonth(text: string): number {
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('Write a month, such as 2026-11.')
  return Date.parse(`${text}-01T00:00:00Z`)
}

/** The table omits kinds without entries; JSON and CSV contain all. */
const isPrinted = ({ count }: StatementLine): boolean => count !== 0

/** Same labels as on the page "Statement". */
const WORDS: Readonly<Record<StatementLine['line'], string>> = {
  opening_balance: 'Opening balance',
  top_up: 'Top-ups',
  withdrawal: 'Debits',
  debt_payment: 'Debt payments',
  refund: 'Refunds',
  charge: 'Charges',
  plan: 'Covered by the plan',
  closing_balance: 'Closing balance',
}

const COLUMNS: Column<StatementLine>[] = [
  { head: 'ENTRY', text: ({ line }) => WORDS[line] },
  { head: 'MODEL', text: ({ model }) => model ?? '-', elastic: true },
  { head: 'COUNT', text: ({ count }) => (count === null ? '-' : String(count)), right: true },
  { head: 'USD', text: ({ amount_nanos }) => formatUsd(amount_nanos), right: true },
]
/** Only for accounts with covered calls, so that no column is empty. */
const WITH_COVERED: Column<StatementLine>[] = [
  ...COLUMNS,
  {
    head: 'COVERED, USD',
    text: ({ covered_nanos }) => (covered_nanos === null ? '-' : formatUsd(covered_nanos)),
    right: true,
  },
]

const view = ({ line, model, count, amount_nanos, covered_nanos }: StatementLine) => ({
  line,
  model,
  count,
  ...money('amount', amount_nanos),
  ...money('covered', covered_nanos),
})
