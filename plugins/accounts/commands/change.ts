// `account change`, `account rename` and `account close`: details, a new name, and closing, which keeps money and entries.
import { type Command, Option } from 'commander'
import { type AccountDetails, changeDetails } from '../../../src/access/account-details.ts'
import { setPriceGroup } from '../../../src/access/account-group.ts'
import { requireAccountNamed } from '../../../src/access/account-listing.ts'
import { accountByName, renameAccount } from '../../../src/access/accounts.ts'
import { closeAccount } from '../../../src/access/closing.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { filesOfFolder, remarkOnLimits, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { requireOwnFiles } from '../../../src/app/process/files/claim.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { deleteAllOf } from '../../../src/responses/rows.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { accountFields } from '../list.ts'
import { type GroupOption, groupIn } from './group.ts'

export function addRenameAndClose(account: Command, deps: CliDeps): void {
  addExample(account.command('rename <name> <new-name>'), 'account rename alice alice-corp')
    .description('Rename an account. It keeps its keys, balance and calls.')
    .action(async (name: string, new_name: string, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const renamed = await withDatabase(folder, 'write', async (db) => {
        await renameAccount(db, name, new_name)
        return requireAccountNamed(db, new_name)
      })
      answer(accountFields(renamed), `Account ${name} is now ${new_name}.`)
      const limits = await remarkOnLimits(name, folder)
      if (limits) remark(limits)
    })

  addExample(account.command('close <name>'), 'account close alice --yes')
    .description(
      'Close an account: refuse its calls, revoke its keys and delete its kept responses. Running calls finish ' +
        'and are charged. Its balance, entries, images and uploaded files are kept.',
    )
    .option('--yes', 'close without asking')
    .action(async (name: string, { yes }: { yes?: boolean }, command: Command) => {
      const { folder, json, answer } = contextOf(command, deps)
      await withDatabase(folder, 'read', (db) => accountByName(db, name))
      await confirm(deps, {
        yes,
        json,
        about: `This revokes all keys of ${name}, signs it out and deletes its kept responses. This cannot be undone.`,
        prompt: `Close ${name}? [y/N] `,
        agrees: isYes,
      })
      using files = await filesOfFolder(folder)
      const { revoked_keys, left, gone } = await withDatabase(folder, 'write', async (db) => {
        await requireOwnFiles(db, files, 'write')
        const revoked_keys = await closeAccount(db, name, deps.now())
        const left = await requireAccountNamed(db, name)
        return { revoked_keys, left, gone: await deleteAllOf(db, left.id) }
      })
      for (const { body_file } of gone) if (body_file !== null) await files.responses.remove(body_file)
      answer(
        { ...accountFields(left), revoked_keys, deleted_responses: gone.length },
        `Account ${name} is closed; keys revoked: ${revoked_keys}, kept responses deleted: ${gone.length}. ` +
          `Its balance of ${formatUsd(left.balance_nanos)} USD and its debt of ${formatUsd(left.debt_nanos)} USD are kept.`,
      )
    })
}

interface ChangeOptions extends GroupOption {
  displayName?: string
  email?: string
  note?: string
  billingDetails?: string
  keysSee?: 'own' | 'account'
}

export function addAccountChange(account: Command, deps: CliDeps): void {
  addExample(account.command('change <name>'), 'account change alice --email alice@example.com')
    .summary("Change an account's details.")
    .description(
      'Change the details of an account. Options that you leave out change nothing; an empty text removes a value. ' +
        '`account rename` changes the short name.',
    )
    .option('--display-name <text>', 'a name in any letters, such as Zoë & Co')
    .option('--email <address>', 'an email address')
    .option('--note <text>', 'a note for operators')
    .option('--billing-details <text>', 'the buyer on its statements: name and address')
    .option('--group <name>', 'the price group whose prices it pays; "none": list prices')
    .addOption(new Option('--keys-see <what>', 'calls that its limited keys see').choices(['own', 'account']))
    .action(async (name: string, options: ChangeOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { displayName, email, note, billingDetails, keysSee } = options
      const keys_see_account = keysSee === undefined ? undefined : keysSee === 'account'
      const changes = defined({
        display_name: displayName,
        email,
        note,
        billing_details: billingDetails,
        keys_see_account,
      })
      const price_group = await groupIn(options, folder)
      if (Object.keys(changes).length === 0 && price_group === undefined)
        throw invalidRequest(
          'Nothing to change: give --display-name, --email, --note, --billing-details, --group or --keys-see.',
        )
      const { details, found } = await withDatabase(folder, 'write', (db) =>
        db.begin(async (tx) => {
          if (price_group !== undefined) await setPriceGroup(tx, name, price_group)
          const details = await changeDetails(tx, name, changes)
          return { details, found: await requireAccountNamed(tx, name) }
        }),
      )
      answer(
        { ...accountFields(found), ...details },
        `Account ${name} changed. See tollgate account show ${name}.`,
      )
    })
}

/** Returns the details of an account as labels and values, without empty ones. */
export const detailLines = (details: AccountDetails): [string, string][] =>
  (
    [
      ['display name', details.display_name],
      ['email', details.email],
      ['note', details.note],
      ['billing details', details.billing_details.replaceAll('\n', ', ')],
      ['limited keys', details.keys_see_account ? 'see all calls of the account' : ''],
    ] as [string, string][]
  ).filter(([, text]) => text !== '')
