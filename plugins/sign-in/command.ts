// `console` and `account invite`: links by which the operator and account holders set their passwords for the console.
import type { Command } from 'commander'
import { resetOperator } from '../../src/access/operator-reset.ts'
import { INVITATION_DAYS, makeOperatorsLink, OPERATORS_LINK_HOURS } from '../../src/access/sign-in-links.ts'
import { consoleUrl, linkAt, linkParts } from '../../src/app/command-line/console-link.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import type { Tx } from '../../src/store/db.ts'
import { isMailSet } from '../mail/index.ts'
import { allStaff, linkForStaff, refuseDisabled, requireStaff, subjectOf } from '../staff/index.ts'
import { invite } from './invite.ts'

const EMAIL = [
  '--email <address>',
  'for this person of the staff (default: the first operator who can sign in)',
] as const

export function addConsoleCommands(program: Command, deps: CliDeps): void {
  const commands = program.command('console').description('Manage access to the console.')

  addExample(commands.command('link'), 'console link')
    .description(
      `Make a link for the operator to set a password. It works once, for ${OPERATORS_LINK_HOURS} hours; earlier ` +
        'links stop working. The current password works until then. `staff list` shows everybody who may have one.',
    )
    .option(...EMAIL)
    .action(async ({ email }: { email?: string }, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const { made, others } = await withDatabase(folder, 'make', (db) =>
        db.begin(async (tx) => {
          await tx.lock(null)
          const made =
            email === undefined
              ? await makeOperatorsLink(tx, linkParts(deps))
              : await linkForStaff(tx, await requireStaff(tx, email), linkParts(deps))
          return { made, others: email === undefined ? await otherOperators(tx) : undefined }
        }),
      )
      const link = linkAt(url, 'welcome', made)
      if (others) remark(others)
      answer(link, link.url)
    })

  addExample(commands.command('reset'), 'console reset')
    .description(
      "Remove the operator's password, passkeys and identities, sign the operator out everywhere, and make a link to set a new password.",
    )
    .option(...EMAIL)
    .action(async ({ email }: { email?: string }, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const { ended_sessions, others, ...made } = await withDatabase(folder, 'make', (db) =>
        db.begin(async (tx) => {
          await tx.lock(null)
          const person = email === undefined ? undefined : await requireStaff(tx, email)
          if (person) refuseDisabled(person)
          const reset = await resetOperator(
            tx,
            linkParts(deps),
            person && { person_id: person.id, subject: subjectOf(person) },
          )
          return { ...reset, others: person ? undefined : await otherOperators(tx) }
        }),
      )
      const link = linkAt(url, 'welcome', made)
      if (others) remark(others)
      remark(`Password, passkeys and identities removed. Sessions ended: ${ended_sessions}.`)
      answer({ ...link, ended_sessions }, link.url)
    })
}

/** Says whom the link is for, if there are several operators. */
async function otherOperators(tx: Tx): Promise<string | undefined> {
  const operators = (await allStaff(tx)).filter(
    ({ role, disabled_at_ms }) => role === 'operator' && disabled_at_ms === null,
  )
  const [first, ...others] = operators
  if (!first || others.length === 0) return undefined
  return `For ${subjectOf(first)}, the first of ${operators.length} operators. --email is for another one.`
}

/** `account invite`; its command group belongs to another plugin. */
export function addInvite(program: Command, deps: CliDeps): void {
  addExample(commandGroup(program, 'account').command('invite <name>'), 'account invite alice')
    .description(
      `Send an account holder a link to set a password for the console. It works once, for ${INVITATION_DAYS} days. ` +
        'Without a mail server or an address of the account, the link is printed.',
    )
    .option('--link', 'print the link, and send no mail')
    .action(async (name: string, { link: as_link }: { link?: boolean }, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const has_mail = !as_link && isMailSet((await requireCatalogue(folder)).catalogue)
      const { mailed_to = null, ...made } = await withDatabase(folder, 'write', (db) =>
        db.begin((tx) => invite(tx, name, { ...linkParts(deps), has_mail })),
      )
      const { url: link_url, expires_at } = linkAt(url, 'invitation', made)
      if (has_mail && mailed_to === null)
        remark(`${name} has no email address to mail the link to: pass it on yourself.`)
      if (mailed_to === null) answer({ account: name, url: link_url, mailed_to, expires_at }, link_url)
      else
        answer(
          { account: name, url: null, mailed_to, expires_at },
          `Invitation queued to ${mailed_to}. A running gateway sends it now; \`tollgate mail list\` shows it.`,
        )
    })
}
