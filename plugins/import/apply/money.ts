// Opening balances of an import: one movement for each account, with a reference that the ledger accepts once.
import type { MoneyMover } from '../../../src/app/command-line/money.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import type { MoneyOutcome } from '../../../src/money/ledger/operations.ts'
import type { Db } from '../../../src/store/db.ts'
import { referenceOf } from '../plan/known.ts'
import type { PlannedAccount } from '../plan/plan.ts'
import { batchesOfStep, type ImportRun } from './import-run.ts'

/** The number of movements that the ledger commits together. */
const MOVEMENTS_A_BATCH = 500

/** @throws GatewayError as `MoneyMover.move`; unprocessable for an amount that the ledger refuses */
export async function applyMoney(db: Db, mover: Mover, run: ImportRun): Promise<void> {
  const { plan, probe } = run
  const ids = await accountIds(db, plan.source)
  const due = plan.accounts.filter(({ balance_nanos }) => balance_nanos !== 0)
  const step = { size: MOVEMENTS_A_BATCH, what: 'Adding balances', unit: 'accounts' }
  for (const batch of batchesOfStep(run, due, step)) {
    const outcomes = await Promise.all(batch.map((account) => move(mover, account, ids, run)))
    for (const [at, outcome] of outcomes.entries()) throwIfRefused(batch[at], outcome)
    probe('money')
  }
}

const ACCOUNT_IDS = `SELECT source_id, account_id FROM imported_rows WHERE source = $source AND kind = 'account'`

/** Returns account ids by the rows of the source. */
export async function accountIds(db: Db, source: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rows<{ source_id: string; account_id: number }>(ACCOUNT_IDS, { source })
  return new Map(rows.map(({ source_id, account_id }) => [source_id, account_id]))
}

type Mover = Pick<MoneyMover, 'move'>

function move(
  mover: Mover,
  { incoming: { source_id }, balance_nanos }: PlannedAccount,
  ids: ReadonlyMap<string, number>,
  { plan: { source }, by, now_ms }: ImportRun,
): Promise<MoneyOutcome> {
  const movement = {
    account_id: ids.get(source_id) ?? 0,
    amount_nanos: Math.abs(balance_nanos),
    note: `Balance at ${source}`,
    request_key: referenceOf(source, source_id),
    by,
    now_ms,
  }
  return balance_nanos > 0
    ? mover.move({ op: 'top_up', ...movement })
    : mover.move({ op: 'open_debt', ...movement })
}

/** A used reference means that an earlier run moved the balance. */
function throwIfRefused(account: PlannedAccount | undefined, outcome: MoneyOutcome): void {
  if (outcome.ok || outcome.refusal === 'request_key_used') return
  throw unprocessable(
    `The balance of ${account?.name} cannot be added (${outcome.refusal}). Correct it in the source, and import again. Imported rows stay.`,
  )
}
