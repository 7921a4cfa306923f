// `account rename` and `account close`: another name, and an end that keeps money and books.
import { join } from 'node:path'
import type { Command } from 'commander'
import { accountFields } from '../access/account-view.ts'
import { renameAccount } from '../access/accounts.ts'
import { closeAccount, shownAccount } from '../access/closing.ts'
import { formatUsd } from '../domain/money.ts'
import { createFileStore } from '../media/store.ts'
import { deleteAllOf } from '../responses/rows.ts'
import { RESPONSES_FOLDER } from '../responses/store.ts'
import { contextOf } from './context.ts'
import { readCatalogueOf, withDatabase } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

export function addRenameAndClose(account: Command, deps: CliDeps): void {
  account
    .command('rename <name> <new-name>')
    .description('Give an account another name. Its keys, money and calls stay its own.')
    .action(async (name: string, new_name: string, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const renamed = withDatabase(folder, 'write', (db) => {
        renameAccount(db, name, new_name)
        return shownAccount(db, new_name)
      })
      answer(accountFields(renamed), `Account ${name} is now ${new_name}.`)
      const reading = await readCatalogueOf(folder.catalogue_path, deps.env)
      if ('catalogue' in reading && Object.hasOwn(reading.catalogue.limits.accounts ?? {}, name))
        remark(`The catalogue has limits for ${name}: rename [limits.accounts.${name}] there, too.`)
    })

  account
    .command('close <name>')
    .description(
      "Refuse an account's calls for good, revoke its keys, and delete its kept responses. Calls under way finish " +
        'and are charged. Its money and its books are kept, and so are its images and uploaded files.',
    )
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { revoked_keys, left, gone } = withDatabase(folder, 'write', (db) => {
        const revoked_keys = closeAccount(db, name, deps.now())
        const left = shownAccount(db, name)
        return { revoked_keys, left, gone: deleteAllOf(db, left.id) }
      })
      const files = createFileStore(join(folder.dir, RESPONSES_FOLDER))
      for (const { body_file } of gone) if (body_file !== null) await files.remove(body_file)
      answer(
        { ...accountFields(left), revoked_keys, deleted_responses: gone.length },
        `Account ${name} is closed; keys revoked: ${revoked_keys}, kept responses deleted: ${gone.length}. ` +
          `Its balance of ${formatUsd(left.balance_nanos)} USD and its debt of ${formatUsd(left.debt_nanos)} USD are kept.`,
      )
    })
}
