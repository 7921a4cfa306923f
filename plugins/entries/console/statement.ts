// Console routes of the monthly statement of an account, as JSON and CSV.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { partiesOf } from '../../../src/access/account-details.ts'
import { requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { CsvFile, listCsv, onePart } from '../../../src/app/surface/console/list-csv.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { monthOf, UTC } from '../../../src/domain/zones.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../../src/http/views.ts'
import { firstEntryAt, STATEMENT_COLUMNS, statementLines, statementOf } from '../statement.ts'

const StatementQuery = Closed({
  account: Type.Optional(AccountRef),
  month: Type.Optional(
    Type.String({ pattern: '^20\\d\\d-(0[1-9]|1[0-2])$', must: 'a month such as 2026-12, in UTC' }),
  ),
})

const MOVEMENTS = ['top_up', 'withdrawal', 'debt_payment', 'refund'] as const

const StatementView = Closed({
  account: Type.String(),
  seller: Type.String({ description: 'as [billing] seller has it; empty without' }),
  buyer: Type.String({ description: 'the billing details of the account, or its name' }),
  month: Type.String({ description: 'in UTC' }),
  months: Type.Array(Type.String(), { description: 'months with a statement, newest first' }),
  ...TimeFields('from'),
  ...TimeFields('until'),
  unfinished: Type.Boolean({ description: 'whether the month is not over yet' }),
  ...MoneyFields('opening'),
  movements: Type.Array(
    Closed({ kind: OneOf(MOVEMENTS), entries: Type.Integer(), ...MoneyFields('amount') }),
  ),
  charges: Type.Array(Closed({ model: Type.String(), calls: Type.Integer(), ...MoneyFields('amount') })),
  charged: Closed({ calls: Type.Integer(), ...MoneyFields('amount') }),
  covered: Type.Array(
    Closed({
      model: Type.String(),
      calls: Type.Integer(),
      ...MoneyFields('covered', "Their cost at the account's price"),
    }),
    { description: 'calls covered by a plan, which cost nothing' },
  ),
  ...MoneyFields('closing'),
})

/** Weight in the rate limit: a request reads all entries since the begin of the month. */
const COUNTS_AS = 50

/** `GET /console/api/statement` and `/console/api/statement.csv`, by default of this month. An account sees its own statement. */
export function statementRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-statement' })
    .use(viewerCalls(gateway, { counts_as: COUNTS_AS }))
    .get(
      '/console/api/statement',
      async ({ viewer, query }) => statementView(await read(gateway, viewer, query)),
      { query: StatementQuery, response: { 200: StatementView, ...FAILURES } },
    )
    .get(
      '/console/api/statement.csv',
      async ({ viewer, query }) => {
        const { month, statement, ...head } = await read(gateway, viewer, query)
        const lines = statementLines(statement, { ...head, month: month.name })
        const list = `statement-${month.name}`
        return listCsv(gateway, viewer, { list, columns: STATEMENT_COLUMNS, parts: onePart(lines) })
      },
      { query: StatementQuery, response: { 200: CsvFile, ...FAILURES } },
    )
}

/** @throws GatewayError not_found, invalid_request; permission_denied for a viewer who sees only the calls of some keys */
async function read(
  { db, calls }: Pick<ConsoleParts, 'db' | 'calls'>,
  viewer: Viewer,
  query: Static<typeof StatementQuery>,
) {
  requireWholeAccount(viewer)
  const account = await requireChosenAccount(db, viewer, query.account)
  const now_ms = calls.now()
  const requested_ms = query.month === undefined ? now_ms : Date.parse(`${query.month}-01T00:00:00Z`)
  if (requested_ms > now_ms)
    throw invalidRequest('month: has not started yet. Choose this month or an earlier one.', {
      param: 'month',
    })
  const month = monthOf(requested_ms, UTC)
  const statement = await statementOf(db, account.id, { from_ms: month.start_ms, until_ms: month.end_ms })
  const first_ms = (await firstEntryAt(db, account.id)) ?? now_ms
  return {
    account: account.name,
    ...(await partiesOf(db, account, calls.catalogue())),
    month,
    months: monthsSince(first_ms, now_ms),
    now_ms,
    statement,
  }
}

function monthsSince(first_ms: number, now_ms: number): string[] {
  const months: string[] = []
  for (let month = monthOf(now_ms, UTC); ; month = monthOf(month.start_ms - 1, UTC)) {
    months.push(month.name)
    if (month.start_ms <= first_ms) return months
  }
}

const statementView = ({
  account,
  seller,
  buyer,
  month,
  months,
  now_ms,
  statement,
}: Awaited<ReturnType<typeof read>>): Static<typeof StatementView> => ({
  account,
  seller,
  buyer,
  month: month.name,
  months,
  ...time('from', month.start_ms),
  ...time('until', month.end_ms),
  unfinished: month.end_ms > now_ms,
  ...money('opening', statement.opening_nanos),
  movements: statement.movements.map(({ kind, entries, amount_nanos }) => ({
    kind,
    entries,
    ...money('amount', amount_nanos),
  })),
  charges: statement.charges.map(({ model, calls, amount_nanos }) => ({
    model,
    calls,
    ...money('amount', amount_nanos),
  })),
  charged: { calls: statement.charged.calls, ...money('amount', statement.charged.amount_nanos) },
  covered: statement.covered.map(({ model, calls, covered_nanos }) => ({
    model,
    calls,
    ...money('covered', covered_nanos),
  })),
  ...money('closing', statement.closing_nanos),
})
