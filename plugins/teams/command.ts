// `account team`: lists, invites, changes and removes the people of an account.
import { type Command, Option } from 'commander'
import { lockedAccount } from '../../src/access/accounts.ts'
import { budgetsOfPerson } from '../../src/access/budgets.ts'
import { budgetsView } from '../../src/access/limits-view.ts'
import {
  changeRole,
  type KeyHandling,
  limitMember,
  memberOf,
  removeMember,
  type TeamRole,
} from '../../src/access/team.ts'
import { consoleUrl, linkParts } from '../../src/app/command-line/console-link.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import {
  addLimitOptions,
  type LimitOptions,
  limitChangesOf,
} from '../../src/app/command-line/limit-options.ts'
import { personIn } from '../../src/app/command-line/person-of-account.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { type Account, MEMBERSHIP_ROLES } from '../../src/store/schema.ts'
import { isMailSet } from '../mail/index.ts'
import { invitePerson, joinUrl, withdrawInvitation } from './invite.ts'
import { invitation_list, member_list } from './list.ts'

const addList = listCommand(member_list, {
  name: 'list',
  row: 'person',
  rows: 'people',
  account: 'argument',
  empty_text: 'No people. `tollgate account invite NAME` invites the first owner of an account.',
  summary: 'List the people of an account.',
  description: 'List the people of an account, or of all, with their roles and how many of their keys work.',
  example: 'account team list alice',
})

const addInvitations = listCommand(invitation_list, {
  name: 'invitations',
  row: 'invitation',
  rows: 'invitations',
  account: 'argument',
  empty_text: 'No open invitations.',
  summary: 'List open invitations.',
  description: 'List the open invitations of people into an account, or into all.',
  example: 'account team invitations alice',
})

export function addTeamCommands(program: Command, deps: CliDeps): void {
  const team = commandGroup(program, 'account')
    .command('team')
    .description('Manage the people of an account: owners, members and billing.')
  addList(team, deps)
  addInvite(team, deps)
  addInvitations(team, deps)
  addRevoke(team, deps)
  addChange(team, deps)
  addRemove(team, deps)
  addLimit(team, deps)
}

const roleOption = () =>
  new Option('--role <role>', 'what they may do').choices(MEMBERSHIP_ROLES).makeOptionMandatory()

function addInvite(team: Command, deps: CliDeps): void {
  addExample(
    team.command('invite <account> <email>'),
    'account team invite alice max@example.com --role member',
  )
    .summary('Invite a person into an account.')
    .description(
      'Invite a person into an account. With a mail server the link is mailed, otherwise it is printed. It works once, for 7 days, and replaces an ' +
        'earlier one of the address.',
    )
    .addOption(roleOption())
    .option('--link', 'print the link, and send no mail')
    .action(
      async (name: string, email: string, options: { role: TeamRole; link?: boolean }, command: Command) => {
        const { folder, answer } = contextOf(command, deps)
        const url = await consoleUrl(folder)
        const has_mail = !options.link && isMailSet((await requireCatalogue(folder)).catalogue)
        const invited = await inAccount(command, deps, name, (tx, account) =>
          invitePerson(
            tx,
            {
              ...{ account, email, has_mail },
              role: options.role,
              inviter: undefined,
              invited_by: null,
              is_counted: false,
            },
            linkParts(deps),
          ),
        )
        const { token, expires_at_ms } = invited
        const url_to_show = token === undefined ? null : joinUrl(url, token)
        const expires_at = new Date(expires_at_ms).toISOString()
        answer(
          { account: name, email: invited.email, role: options.role, url: url_to_show, expires_at },
          url_to_show ??
            `Invitation queued to ${invited.email}. A running gateway sends it now; \`tollgate mail list\` shows it.`,
        )
      },
    )
}

function addRevoke(team: Command, deps: CliDeps): void {
  addExample(team.command('revoke <account> <invitation>'), 'account team revoke alice 3')
    .summary('Revoke an open invitation.')
    .description('Revoke an open invitation, by its number in `account team invitations`.')
    .action(async (name: string, id: string, _: object, command: Command) => {
      const { answer } = contextOf(command, deps)
      await inAccount(command, deps, name, (tx, account) =>
        withdrawInvitation(tx, account.id, Number(id) || 0),
      )
      answer({ account: name, invitation: Number(id), revoked: true }, `Invitation ${id} revoked.`)
    })
}

interface KeysOptions {
  revokeKeys?: boolean
  keysTo?: string
  withoutOwner?: boolean
}

const withKeys = (command: Command): Command =>
  command
    .option('--revoke-keys', 'revoke the keys of the person')
    .option('--keys-to <person>', 'hand the keys over to this person: an address, or a number')
    .option('--without-owner', 'also where the account has no other owner')

function addChange(team: Command, deps: CliDeps): void {
  withKeys(
    addExample(
      team.command('change <account> <person>'),
      'account team change alice max@example.com --role owner',
    )
      .summary('Give a person another role.')
      .description(
        'Give a person another role in an account: by their address, or their number in `account team list`.',
      )
      .addOption(roleOption()),
  ).action(
    async (
      name: string,
      who: string,
      { role, ...options }: KeysOptions & { role: TeamRole },
      command: Command,
    ) => {
      const { answer } = contextOf(command, deps)
      const person = await inAccount(command, deps, name, async (tx, account) => {
        const of = await personIn(tx, account, who)
        await changeRole(tx, of, role, await changeOf(tx, account, options, deps.now()))
        return await memberOf(tx, of)
      })
      const { id, name: their_name } = person.person
      answer(
        { account: name, person_id: id, name: their_name, role },
        `${their_name} is now ${role} of ${name}.`,
      )
    },
  )
}

function addRemove(team: Command, deps: CliDeps): void {
  withKeys(
    addExample(
      team.command('remove <account> <person>'),
      'account team remove alice max@example.com --revoke-keys',
    )
      .summary('Remove a person from an account.')
      .description(
        'Remove a person from an account. They are signed out of it at once. If they have keys that work, choose whether to revoke them or to hand them over.',
      ),
  ).action(async (name: string, who: string, options: KeysOptions, command: Command) => {
    const { answer } = contextOf(command, deps)
    const person = await inAccount(command, deps, name, async (tx, account) => {
      const of = await personIn(tx, account, who)
      const { person } = await memberOf(tx, of)
      await removeMember(tx, of, await changeOf(tx, account, options, deps.now()))
      return person
    })
    answer(
      { account: name, person_id: person.id, name: person.name, removed: true },
      `${person.name} removed from ${name}.`,
    )
  })
}

function addLimit(team: Command, deps: CliDeps): void {
  addLimitOptions(
    addExample(
      team.command('limit <account> <person>'),
      'account team limit alice max@example.com --limit-month 100',
    ),
  )
    .summary('Change the spend limits of a person.')
    .description(
      'Change what all keys of a person in an account may spend together. Options that you leave out change nothing. Days, weeks and months are in UTC.',
    )
    .action(async (name: string, who: string, options: LimitOptions, command: Command) => {
      const { answer } = contextOf(command, deps)
      const changes = limitChangesOf(options)
      const budgets = await inAccount(command, deps, name, async (tx, account) => {
        const of = await personIn(tx, account, who)
        await limitMember(tx, of, changes, deps.now())
        return await budgetsOfPerson(tx, of)
      })
      answer(
        { account: name, person: who, spend_limits: budgetsView(budgets, deps.now()) },
        `Spend limits of ${who} in ${name} changed.`,
      )
    })
}

/** Runs the work in a transaction that has locked the account. */
const inAccount = <T>(
  command: Command,
  deps: CliDeps,
  name: string,
  work: (tx: Tx, account: Account) => Promise<T>,
): Promise<T> =>
  withDatabase(contextOf(command, deps).folder, 'write', (db) =>
    db.begin(async (tx) => work(tx, await lockedAccount(tx, name))),
  )

async function changeOf(
  db: Db,
  account: Account,
  { revokeKeys, keysTo, withoutOwner }: KeysOptions,
  now_ms: number,
) {
  if (revokeKeys && keysTo !== undefined) throw invalidRequest('Give --revoke-keys or --keys-to, not both.')
  const handover: KeyHandling | undefined =
    keysTo === undefined ? undefined : { to_person_id: (await personIn(db, account, keysTo)).person_id }
  const keys = revokeKeys ? ({ revoke: true } as const) : handover
  return { keys, may_end_owners: withoutOwner === true, now_ms }
}
