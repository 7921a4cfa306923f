// `audit-log`: lists changes, who made them, and when.
import { listCommand } from '../../src/app/list/command.ts'
import { audit_log } from './list.ts'

export const addAuditLogCommand = listCommand(audit_log, {
  name: 'audit-log',
  account: 'argument',
  row: 'change',
  rows: 'changes',
  empty_text: 'No changes found.',
  summary: 'List who changed what, and when.',
  description:
    'List changes to accounts, keys, balances and the catalogue, sign-ins and backups, newest first: who made ' +
    'them, in the console or by a command, and what was there before. Kept for 400 days.',
  example: 'audit-log alice --since 7d',
})
