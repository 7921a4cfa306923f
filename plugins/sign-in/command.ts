// `console` and `account invite`: links by which the operator and account holders set their passwords for the console.
import type { Command } from 'commander'
import {
  INVITATION_DAYS,
  makeInvitation,
  makeOperatorsLink,
  OPERATORS_LINK_HOURS,
  resetOperator,
} from '../../src/access/sign-in-links.ts'
import { consoleUrl, issuing, linkAt } from '../../src/app/command-line/console-link.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'

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
      `Make a link for an account holder to set a password for the console. It works once, for ${INVITATION_DAYS} days.`,
    )
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const made = await withDatabase(folder, 'write', (db) => makeInvitation(db, name, issuing(deps)))
      const link = linkAt(url, 'invitation', made)
      answer({ account: name, ...link }, link.url)
    })
}
