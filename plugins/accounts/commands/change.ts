// `account change`: a display name, an email and a note beside the short name, and what limited keys see.
import { type Command, Option } from 'commander'
import { type AccountDetails, changeDetails } from '../../../src/access/account-details.ts'
import { accountWithStatus } from '../../../src/access/closing.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { accountFields } from '../list.ts'

interface ChangeOptions {
  displayName?: string
  email?: string
  note?: string
  keysSee?: 'own' | 'account'
}

export function addAccountChange(account: Command, deps: CliDeps): void {
  addExample(account.command('change <name>'), 'account change alice --email alice@example.com')
    .summary('Change what is written down of an account.')
    .description(
      'Change what is written down of an account. Options that you leave out change nothing; an empty text removes. ' +
        '`account rename` changes the short name.',
    )
    .option('--display-name <text>', 'its name in any letters, such as Zoë & Co')
    .option('--email <address>', 'an email address')
    .option('--note <text>', 'a note for operators')
    .addOption(new Option('--keys-see <what>', 'calls that its limited keys see').choices(['own', 'account']))
    .action(async (name: string, options: ChangeOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { displayName, email, note, keysSee } = options
      const keys_see_account = keysSee === undefined ? undefined : keysSee === 'account'
      const changes = defined({ display_name: displayName, email, note, keys_see_account })
      if (Object.keys(changes).length === 0)
        throw invalidRequest('Nothing to change: give --display-name, --email, --note or --keys-see.')
      const { details, found } = await withDatabase(folder, 'write', async (db) => ({
        details: await changeDetails(db, name, changes),
        found: await accountWithStatus(db, name),
      }))
      answer(
        { ...accountFields(found), ...details },
        `Account ${name} changed. See tollgate account show ${name}.`,
      )
    })
}

/** The details of an account in lines of label and value; those that it lacks are left out. */
export const detailLines = (details: AccountDetails): [string, string][] =>
  (
    [
      ['display name', details.display_name],
      ['email', details.email],
      ['note', details.note],
      ['limited keys', details.keys_see_account ? 'see all calls of the account' : ''],
    ] as [string, string][]
  ).filter(([, text]) => text !== '')
