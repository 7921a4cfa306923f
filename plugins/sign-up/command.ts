// `sign-up`: lists sign-ups, and makes, lists and revokes invitations to sign up.
import { type Command, InvalidArgumentError } from 'commander'
import { readCount } from '../../src/app/command-line/arguments.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { conflict } from '../../src/domain/errors.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { isMailSet } from '../mail/index.ts'
import { DEFAULT_DAYS, MAX_DAYS, MAX_USES, makeCode, revokeCode } from './codes.ts'
import { sign_up_code_list, sign_up_list } from './list.ts'
import { signUpSettings } from './settings.ts'

const addList = listCommand(sign_up_list, {
  name: 'list',
  row: 'sign-up',
  rows: 'sign-ups',
  empty_text: 'No sign-ups.',
  summary: 'List sign-ups.',
  description:
    'List sign-ups, newest first: those that wait for the link of their mail, for a day, and completed ones.',
  example: 'sign-up list --state pending',
})

const addInvitations = listCommand(sign_up_code_list, {
  name: 'invitations',
  row: 'invitation',
  rows: 'invitations',
  empty_text: 'No invitations. `tollgate sign-up invite` makes one.',
  summary: 'List invitations to sign up.',
  description: 'List invitations to sign up, newest first, and how often each was used.',
  example: 'sign-up invitations',
})

export function addSignUpCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'sign-up').description('See sign-ups, and invite people to sign up.')
  addList(group, deps)
  addInvite(group, deps)
  addInvitations(group, deps)
  addRevoke(group, deps)
}

function addInvite(group: Command, deps: CliDeps): void {
  addExample(group.command('invite'), 'sign-up invite --email anna@example.com')
    .summary('Invite people to sign up.')
    .description(
      'Make a link by which people may sign up, where [sign_up] has mode = "invitation". With an address it is mailed there, and works for it alone.',
    )
    .option('--email <address>', 'mail it to this address, which alone may use it')
    .option('--uses <count>', 'how many accounts it is for (default: 1)', readCount(MAX_USES))
    .option(
      '--expires <days>',
      `in how many days it expires, such as 30d (default: ${DEFAULT_DAYS}d)`,
      readDays,
    )
    .action(async ({ email, uses, expires: days }: InviteOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { catalogue } = await requireCatalogue(folder)
      const { public_url } = catalogue.server
      if (signUpSettings.of(catalogue).mode === 'closed' || public_url === undefined || !isMailSet(catalogue))
        throw conflict(
          'Sign-up is closed. Set mode = "invitation" in [sign_up] of tollgate.toml first; it needs [mail] and public_url in [server].',
          { code: 'sign_up_closed' },
        )
      const { row, path, is_mailed } = await withDatabase(folder, 'write', (db) =>
        db.begin((tx) =>
          makeCode(tx, { email, uses, days }, { randomBytes: deps.randomBytes, now_ms: deps.now() }),
        ),
      )
      const url = is_mailed ? null : `${withoutTrailing(public_url, '/')}${path}`
      const expires_at = new Date(row.expires_at_ms).toISOString()
      answer(
        { id: row.id, url, mailed_to: row.email, uses: row.max_uses, expires_at },
        url ??
          `Invitation queued to ${row.email}. A running gateway sends it now; \`tollgate mail list\` shows it.`,
      )
    })
}

interface InviteOptions {
  email?: string
  uses?: number
  expires?: number
}

function readDays(text: string): number {
  const days = /^([1-9]\d{0,2})d?$/.exec(text)?.[1]
  if (days === undefined || Number(days) > MAX_DAYS)
    throw new InvalidArgumentError(`Write a number of days from 1 to ${MAX_DAYS}, such as 30d.`)
  return Number(days)
}

function addRevoke(group: Command, deps: CliDeps): void {
  addExample(
    group.command('revoke').argument('<id>', 'its number in `sign-up invitations`', readCount()),
    'sign-up revoke 3',
  )
    .description('Revoke an invitation to sign up. Accounts created with it stay.')
    .action(async (id: number, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      await withDatabase(folder, 'write', (db) => db.begin((tx) => revokeCode(tx, id, deps.now())))
      answer({ id, state: 'revoked' }, `Invitation ${id} revoked.`)
    })
}
