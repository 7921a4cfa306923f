// `credit` and `debit`: money added to an account and taken from it.

import type { Command } from 'commander'
import { requireAccountNamed } from '../../../src/access/account-listing.ts'
import { accountByName } from '../../../src/access/accounts.ts'
import { amountReader } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../../src/app/command-line/money.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { conflict, invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { MOVEMENT_KEY_PATTERN } from '../../../src/domain/movement-keys.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import type { KeyedEntry, Refusal } from '../../../src/money/ledger/operations.ts'
import { accountFields } from '../list.ts'

interface Movement {
  command: 'credit' | 'debit'
  op: 'top_up' | 'withdraw'
  summary: string
  description: string
  done: string
  example: string
}

const CREDIT: Movement = {
  command: 'credit',
  op: 'top_up',
  summary: 'Add USD to an account.',
  description: 'Add USD to an account. Its debt is paid first.',
  done: 'added to',
  example: "credit alice 25 --note 'invoice 17'",
}

const DEBIT: Movement = {
  command: 'debit',
  op: 'withdraw',
  summary: 'Take USD from an account.',
  description: "Take USD from an account's available balance. Money held for running calls stays.",
  done: 'taken from',
  example: "debit alice 5 --note 'credited twice'",
}

const REFUSALS: Partial<Record<Refusal, string>> = {
  insufficient_balance: 'Not enough available balance: see `tollgate account show`. Nothing was debited.',
  amount_out_of_range: 'The balance would be above the maximum. Nothing was added.',
}

export const addCreditCommand = (program: Command, deps: CliDeps): void => addMovement(program, deps, CREDIT)

export const addDebitCommand = (program: Command, deps: CliDeps): void => addMovement(program, deps, DEBIT)

function addMovement(
  program: Command,
  deps: CliDeps,
  { command: name, op, summary, description, done, example }: Movement,
): void {
  addExample(program.command(name), example)
    .summary(summary)
    .description(description)
    .argument('<account>', 'its name')
    .argument(
      '<amount>',
      'USD, such as 10 or 0.50',
      amountReader(' `credit` adds money, `debit` takes it away.'),
    )
    .option('--note <text>', 'stored with the entry; the account holder sees it')
    .option('--reference <text>', 'a unique reference, such as "invoice 17", to move money only once')
    .action(
      async (
        account_name: string,
        amount_nanos: Nanos,
        { note = '', reference }: { note?: string; reference?: string },
        command: Command,
      ) => {
        checkNote(note)
        if (reference !== undefined) checkReference(reference)
        const { folder, answer } = contextOf(command, deps)
        const { id: account_id } = await withDatabase(folder, 'read', (db) => accountByName(db, account_name))
        await using mover = await openMoneyMover(folder)
        const outcome = await mover.move({
          op,
          account_id,
          amount_nanos,
          note,
          request_key: reference,
          by: folder.by,
          now_ms: deps.now(),
        })
        const { first } = outcome
        if (first) throw referenceUsed(account_name, first)
        if (!outcome.ok)
          throw unprocessable(REFUSALS[outcome.refusal] ?? `The ledger refused: ${outcome.refusal}.`)
        const account = await withDatabase(folder, 'read', (db) => requireAccountNamed(db, account_name))
        const owed = outcome.debt_nanos > 0 ? `, debt ${formatUsd(outcome.debt_nanos)} USD` : ''
        answer(
          accountFields({ ...account, balance_nanos: outcome.balance_nanos, debt_nanos: outcome.debt_nanos }),
          `${formatUsd(amount_nanos)} USD ${done} ${account_name}: balance ${formatUsd(outcome.balance_nanos)} USD${owed}.`,
        )
      },
    )
}

const REFERENCE = new RegExp(MOVEMENT_KEY_PATTERN)

function checkReference(reference: string): void {
  if (!REFERENCE.test(reference) || reference.trim() === '')
    throw invalidRequest(
      '--reference: must be 1 to 255 printable ASCII characters, such as "invoice 17", and none of the gateway’s own keys such as order:12.',
    )
}

/** The error for a reference that was used before, even for the same movement. */
function referenceUsed(account_name: string, { kind, amount_nanos, note, created_at_ms }: KeyedEntry) {
  const how =
    kind === 'opening_debt' ? 'recorded as opening debt of' : amount_nanos > 0 ? 'added to' : 'taken from'
  const change = `${formatUsd(Math.abs(amount_nanos))} USD ${how} ${account_name}`
  const with_note = note === '' ? '' : `, note "${note}"`
  return conflict(
    `This reference was used before: ${change} at ${new Date(created_at_ms).toISOString()}${with_note}. Nothing was added or taken.`,
  )
}
