// `account`: create, list, show, suspend and resume accounts; rename and close are in account-end.ts.
import type { Command } from 'commander'
import { accountFields } from '../access/account-view.ts'
import { createAccount, suspendAccount } from '../access/accounts.ts'
import { reopenAccount, type ShownAccount, shownAccount, shownAccounts } from '../access/closing.ts'
import { keyStatus } from '../access/key-status.ts'
import { listKeys } from '../access/keys.ts'
import type { Key } from '../db/schema.ts'
import { formatUsd } from '../domain/money.ts'
import { addRenameAndClose } from './account-end.ts'
import { addInvite } from './console.ts'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import { keyView } from './key-view.ts'
import { type Column, fields } from './table.ts'
import type { CliDeps } from './terminal.ts'
import { localIso, shortDay } from './times.ts'

export function addAccountCommands(program: Command, deps: CliDeps): void {
  const account = program.command('account').description('Manage the accounts that pay for calls.')

  account
    .command('create <name>')
    .description('Create an account. It has no money and no key yet.')
    .action((name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const made = withDatabase(folder, 'make', (db) => createAccount(db, { name, now_ms: deps.now() }))
      answer(
        accountFields(made),
        `Account ${name} created. Next: tollgate credit ${name} 10, tollgate key create ${name}`,
      )
    })

  account
    .command('list')
    .description('List all accounts and their money, in USD.')
    .action((_: object, command: Command) => {
      const { folder, answer, tableOf } = contextOf(command, deps)
      const all = withDatabase(folder, 'read', shownAccounts)
      answer(
        { accounts: all.map(accountFields) },
        tableOf(COLUMNS, all, 'There are no accounts. `tollgate account create NAME` creates one.'),
      )
    })

  account
    .command('show <name>')
    .description('Show an account, its money and its keys.')
    .action((name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { found, keys } = withDatabase(folder, 'read', (db) => {
        const found = shownAccount(db, name)
        return { found, keys: listKeys(db, found.id) }
      })
      answer(
        { ...accountFields(found), keys: keys.map((key) => keyView(key, name, deps.now())) },
        describe(found, keys, deps.now()),
      )
    })

  account
    .command('suspend <name>')
    .description("Refuse an account's new calls. Calls under way finish and are charged.")
    .action((name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changed = withDatabase(folder, 'write', (db) => {
        suspendAccount(db, name)
        return shownAccount(db, name)
      })
      answer(accountFields(changed), `Account ${name} is ${changed.status}.`)
    })

  account
    .command('resume <name>')
    .description('Let a suspended or closed account call again. Its revoked keys stay revoked.')
    .action((name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { account, was_closed } = withDatabase(folder, 'write', (db) => reopenAccount(db, name))
      const next = was_closed ? ` Next: tollgate key create ${name}` : ''
      answer(accountFields(account), `Account ${name} is active.${next}`)
    })

  addRenameAndClose(account, deps)
  addInvite(account, deps)
}

const COLUMNS: Column<ShownAccount>[] = [
  { head: 'NAME', text: ({ name }) => name, elastic: true },
  { head: 'STATUS', text: ({ status }) => status },
  { head: 'BALANCE', text: ({ balance_nanos }) => formatUsd(balance_nanos), right: true },
  { head: 'HELD', text: ({ held_nanos }) => formatUsd(held_nanos), right: true },
  { head: 'DEBT', text: ({ debt_nanos }) => formatUsd(debt_nanos), right: true },
  {
    head: 'CREATED',
    text: ({ created_at_ms }) => localIso(created_at_ms),
    narrow: ({ created_at_ms }) => shortDay(created_at_ms),
    spare: 1,
  },
]

function describe(account: ShownAccount, keys: readonly Key[], now_ms: number): string {
  const active = keys.filter((key) => keyStatus(key, now_ms) === 'active')
  return fields([
    ['name', account.name],
    ['status', account.status],
    ['balance', `${formatUsd(account.balance_nanos)} USD`],
    ['held', `${formatUsd(account.held_nanos)} USD, for calls under way`],
    ['debt', `${formatUsd(account.debt_nanos)} USD`],
    ['created', localIso(account.created_at_ms)],
    [
      'keys',
      active.length === 0
        ? 'none active'
        : active.map(({ name, prefix }) => `${name} (${prefix}…)`).join(', '),
    ],
  ])
}
