// `identity`: lists the linked identities with their people, and unlinks one.
import type { Command } from 'commander'
import { lockPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { wholeListCommand } from '../../src/app/list/command.ts'
import { notFound } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { identityById, removeIdentity } from './identities.ts'
import { identity_list } from './list.ts'

export function addIdentityCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'identity').description(
    'Manage the identities at other providers by which people sign in.',
  )
  addList(group, deps)
  addExample(group.command('unlink <id>'), 'identity unlink 3')
    .summary('Unlink an identity from its person.')
    .description(
      'Unlink an identity, by its number in `identity list`, and end the sessions that it opened. A person without another way to sign in ' +
        'needs a link: `account invite`, or `console link`.',
    )
    .action(async (id: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const unlinked = await withDatabase(folder, 'write', (db) => db.begin((tx) => unlink(tx, id)))
      answer(unlinked, `${unlinked.provider} unlinked from ${unlinked.person}.`)
    })
}

const addList = wholeListCommand(identity_list, {
  empty_text: 'Nobody signs in by an identity.',
  description: 'List the identities by which people sign in, with their providers.',
  example: 'identity list --json',
  order: (one, other) => one.id - other.id,
})

/** @throws GatewayError not_found */
async function unlink(tx: Tx, id: string) {
  const found = /^\d{1,15}$/.test(id) ? await identityById(tx, Number(id)) : undefined
  if (!found) throw noIdentity(id)
  await lockPerson(tx, found.person_id)
  const person = await peopleQueries(tx).byId.get({ id: found.person_id })
  // Another request may have unlinked it before the lock.
  if (!person || !(await removeIdentity(tx, found, 0))) throw noIdentity(id)
  const { provider, email } = found
  await recordAction(tx, {
    action: 'identity.unlinked',
    account_id: person.account_id ?? undefined,
    subject: person.email ?? person.name,
    before: { provider, email },
  })
  return { id: found.id, person: person.name, provider, email }
}

const noIdentity = (id: string) =>
  notFound(`No identity has the number ${id}. \`tollgate identity list\` shows all.`)
