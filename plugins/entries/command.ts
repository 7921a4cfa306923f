// Command `entries`: lists the balance entries of an account.
import { listCommand } from '../../src/app/list/command.ts'
import { entry_list } from './list.ts'

export const addEntriesCommand = listCommand(entry_list, {
  name: 'entries',
  account: 'required',
  row: 'entry',
  rows: 'entries',
  empty_text: 'No entries.',
  summary: "List an account's balance entries.",
  description:
    "List an account's balance entries, newest first: top-ups, withdrawals and refunds with their notes, " +
    'charges, and debt payments. UNPAID is the part of a charge that became debt.',
  example: 'entries alice --since 2026-11-01 --csv > entries.csv',
})
