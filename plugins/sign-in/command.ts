// `console` and `account invite`: links by which the operator and account holders set their passwords for the console.
import type { Command } from 'commander'
import {
  INVITATION_DAYS,
  makeOperatorsLink,
  OPERATORS_LINK_HOURS,
  resetOperator,
} from '../../src/access/sign-in-links.ts'
import { consoleUrl, issuing, linkAt } from '../../src/app/command-line/console-link.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { isMailSet } from '../mail/index.ts'
import { invite } from './invite.ts'

export function addConsoleCommands(program: Command, deps: CliDeps): void {
  const commands = program.command('console').description('Manage access to the console.')

  addExample(commands.command('link'), 'console link')
    .description(
      `Make a link for the operator to set a password. It works once, for ${OPERATORS_LINK_HOURS} hours; earlier ` +
        'links stop working. The current password works until then.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const made = await withDatabase(folder, 'make', (db) => makeOperatorsLink(db, issuing(deps)))
      const link = linkAt(url, 'welcome', made)
      answer(link, link.url)
    })

  addExample(commands.command('reset'), 'console reset')
    .description("Remove the operator's password, sign the operator out everywhere, and make a link.")
    .action(async (_: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const { ended_sessions, ...made } = await withDatabase(folder, 'make', (db) =>
        resetOperator(db, issuing(deps)),
      )
      const link = linkAt(url, 'welcome', made)
      remark(`Password removed. Sessions ended: ${ended_sessions}.`)
      answer({ ...link, ended_sessions }, link.url)
    })
}

/** `account invite`, in the group of another plugin. */
export function addInvite(program: Command, deps: CliDeps): void {
  addExample(commandGroup(program, 'account').command('invite <name>'), 'account invite alice')
    .description(
      `Send an account holder a link to set a password for the console. It works once, for ${INVITATION_DAYS} days. ` +
        'Without a mail server or an address of the account, the link is printed.',
    )
    .option('--link', 'print the link, and send no mail')
    .action(async (name: string, { link: as_link }: { link?: boolean }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const has_mail = !as_link && isMailSet((await requireCatalogue(folder)).catalogue)
      const { mailed_to = null, ...made } = await withDatabase(folder, 'write', (db) =>
        db.begin((tx) => invite(tx, name, { ...issuing(deps), has_mail })),
      )
      const { url: shown, expires_at } = linkAt(url, 'invitation', made)
      if (mailed_to === null) answer({ account: name, url: shown, mailed_to, expires_at }, shown)
      else
        answer(
          { account: name, url: null, mailed_to, expires_at },
          `Invitation queued to ${mailed_to}. A running gateway sends it now; \`tollgate mail list\` shows it.`,
        )
    })
}
