// `staff`: adds people to the staff, lists and changes them, and removes them.
import { type Command, Option } from 'commander'
import { consoleUrl, linkAt, linkParts } from '../../src/app/command-line/console-link.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { rowFor } from '../../src/app/list/columns.ts'
import { wholeListCommand } from '../../src/app/list/command.ts'
import type { Tx } from '../../src/store/db.ts'
import { isMailSet } from '../mail/index.ts'
import { inviteStaff, STAFF_LINK_DAYS } from './invite.ts'
import { staff_list } from './list.ts'
import {
  addStaff,
  changeStaff,
  disableStaff,
  enableStaff,
  removeStaff,
  STAFF_ROLES,
  type StaffRole,
} from './people.ts'
import type { StaffPerson } from './rows.ts'

const PERSON = '<person>'
const A_PERSON = 'their email address, or number in `staff list`'

export function addStaffCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'staff').description(
    'Manage who works on this gateway: operators, support and auditors.',
  )
  addAdd(group, deps)
  addList(group, deps)
  addChange(group, deps)
  addRemove(group, deps)
  addDisable(group, deps)
}

const addList = wholeListCommand(staff_list, {
  empty_text: 'Nobody yet. `tollgate console link` makes a link for the operator.',
  description: 'List the people of the staff with their roles. Invited people have no way to sign in yet.',
  example: 'staff list --json',
  order: (one, other) => one.staff_id - other.staff_id,
})

const roleOption = (text: string) => new Option('--role <role>', text).choices(STAFF_ROLES)

const view = (person: StaffPerson) => rowFor(staff_list.columns, 'command', person)

interface Added {
  email: string
  role: StaffRole
  link?: boolean
}

function addAdd(group: Command, deps: CliDeps): void {
  addExample(group.command('add <name>'), 'staff add "Mia Berg" --email mia@example.com --role support')
    .summary('Add a person to the staff.')
    .description(
      `Add a person to the staff, with a link to set a password. It works once, for ${STAFF_LINK_DAYS} days: mailed where there is a ` +
        'mail server, else printed. A person who already signs in here, and has verified the address, keeps their password.',
    )
    .requiredOption('--email <address>', 'by which they sign in')
    .addOption(
      roleOption(
        'operator: everything; support: reads all, helps accounts; auditor: reads all but contents',
      ).makeOptionMandatory(),
    )
    .option('--link', 'print the link, and send no mail')
    .action(async (name: string, { email, role, link: as_link }: Added, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const url = await consoleUrl(folder)
      const has_mail = !as_link && isMailSet((await requireCatalogue(folder)).catalogue)
      const { person, was_here, link } = await withDatabase(folder, 'make', (db) =>
        db.begin(async (tx) => {
          const added = await addStaff(tx, { name, email, role }, deps.now())
          const needs_link = !added.person.has_password
          const link = needs_link
            ? await inviteStaff(tx, added.person, { ...linkParts(deps), has_mail })
            : undefined
          return { ...added, link }
        }),
      )
      const made = link && linkAt(url, 'invitation', link)
      const mailed_to = link?.mailed_to ?? null
      const url_to_show = made && mailed_to === null ? made.url : null
      if (was_here) remark(`${person.name} already signs in here, and is now on the staff, too.`)
      answer(
        { ...view(person), was_here, url: url_to_show, mailed_to, expires_at: made?.expires_at ?? null },
        addedWords(person, { url_to_show, mailed_to }),
      )
    })
}

function addedWords(
  { name, role }: StaffPerson,
  { url_to_show, mailed_to }: { url_to_show: string | null; mailed_to: string | null },
): string {
  if (url_to_show !== null) return url_to_show
  return mailed_to === null
    ? `${name} added as ${role}. They sign in with the password that they have.`
    : `${name} added as ${role}. Invitation queued to ${mailed_to}; a running gateway sends it now.`
}

function addChange(group: Command, deps: CliDeps): void {
  addExample(group.command(`change ${PERSON}`), 'staff change mia@example.com --role auditor')
    .summary('Change a role or a name.')
    .description(
      `Change the role or the name of a person: ${A_PERSON}. A role holds from their next request on.`,
    )
    .addOption(roleOption('the new role'))
    .option('--name <name>', 'the new name')
    .action(async (reference: string, changes: { role?: StaffRole; name?: string }, command: Command) => {
      if (Object.keys(changes).length === 0) command.error('error: give --role or --name')
      await change(
        deps,
        command,
        (tx) => changeStaff(tx, reference, changes),
        ({ name, role }) => (changes.role ? `${name} is ${role} now.` : `Name changed to ${name}.`),
      )
    })
}

function addRemove(group: Command, deps: CliDeps): void {
  addExample(group.command(`remove ${PERSON}`), 'staff remove mia@example.com')
    .summary('Take a person off the staff.')
    .description(
      `Take a person off the staff: ${A_PERSON}. It ends their sessions at once. Who is in an account, too, stays there. The last ` +
        'operator who can sign in stays.',
    )
    .action(async (reference: string, _: object, command: Command) => {
      await change(
        deps,
        command,
        (tx) => removeStaff(tx, reference),
        ({ name }) => `${name} removed from the staff.`,
      )
    })
}

function addDisable(group: Command, deps: CliDeps): void {
  addExample(group.command(`disable ${PERSON}`), 'staff disable mia@example.com')
    .summary('Keep a person from signing in.')
    .description(`Keep a person from signing in, and end their sessions and links at once: ${A_PERSON}.`)
    .action(async (reference: string, _: object, command: Command) => {
      await change(
        deps,
        command,
        (tx) => disableStaff(tx, reference, deps.now()),
        ({ name }) => `${name} cannot sign in any more.`,
      )
    })
  addExample(group.command(`enable ${PERSON}`), 'staff enable mia@example.com')
    .summary('Let a person sign in again.')
    .description(`Let a disabled person sign in again: ${A_PERSON}.`)
    .action(async (reference: string, _: object, command: Command) => {
      await change(
        deps,
        command,
        (tx) => enableStaff(tx, reference),
        ({ name }) => `${name} can sign in again.`,
      )
    })
}

async function change(
  deps: CliDeps,
  command: Command,
  work: (tx: Tx) => Promise<StaffPerson>,
  sentence: (person: StaffPerson) => string,
): Promise<void> {
  const { folder, answer } = contextOf(command, deps)
  const person = await withDatabase(folder, 'write', (db) => db.begin(work))
  answer(view(person), sentence(person))
}
