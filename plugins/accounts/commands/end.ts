// `account rename` and `account close`: another name, and an end that keeps money and books.
import type { Command } from 'commander'
import { accountByName, renameAccount } from '../../../src/access/accounts.ts'
import { accountWithStatus, closeAccount } from '../../../src/access/closing.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { filesOfFolder, remarkOnLimits, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { requireOwnFiles } from '../../../src/app/process/files/claim.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { deleteAllOf } from '../../../src/responses/rows.ts'
import { accountFields } from '../list.ts'

export function addRenameAndClose(account: Command, deps: CliDeps): void {
  addExample(account.command('rename <name> <new-name>'), 'account rename alice alice-corp')
    .description('Rename an account. It keeps its keys, balance and calls.')
    .action(async (name: string, new_name: string, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const renamed = await withDatabase(folder, 'write', async (db) => {
        await renameAccount(db, name, new_name)
        return accountWithStatus(db, new_name)
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
        const left = await accountWithStatus(db, name)
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
