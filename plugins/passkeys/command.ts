// `passkey`: lists the passkeys of all people, and removes one, such as that of a lost device.
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
import { passkey_list } from './list.ts'
import { endPasskeySessions, passkeyById, removePasskey } from './rows.ts'

export function addPasskeyCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'passkey').description('Manage the passkeys by which people sign in.')
  addList(group, deps)
  addExample(group.command('remove <id>'), 'passkey remove 3')
    .summary('Remove a passkey of a person.')
    .description(
      'Remove a passkey, by its number in `passkey list`, and end the sessions that its person opened by a passkey. A person without another ' +
        'way to sign in needs a link: `account invite`, or `console link`.',
    )
    .action(async (id: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const removed = await withDatabase(folder, 'write', (db) => db.begin((tx) => remove(tx, id)))
      answer(
        removed,
        `Passkey "${removed.name}" of ${removed.person} removed. Sessions ended: ${removed.ended_sessions}.`,
      )
    })
}

const addList = wholeListCommand(passkey_list, {
  empty_text: 'Nobody signs in by a passkey.',
  description: 'List the passkeys by which people sign in.',
  example: 'passkey list --json',
  order: (one, other) => one.id - other.id,
})

/** @throws GatewayError not_found */
async function remove(tx: Tx, id: string) {
  const found = /^\d{1,15}$/.test(id) ? await passkeyById(tx, Number(id)) : undefined
  if (!found) throw noPasskey(id)
  const { person_id } = found
  await lockPerson(tx, person_id)
  const person = await peopleQueries(tx).byId.get({ id: person_id })
  // Another request may have removed it before the lock.
  if (!person || !(await passkeyById(tx, found.id))) throw noPasskey(id)
  const { name } = await removePasskey(tx, { id: found.id, person_id })
  const ended_sessions = await endPasskeySessions(tx, person_id)
  const account_id = person.account_id ?? undefined
  await recordAction(tx, { action: 'passkey.removed', account_id, subject: name })
  return { id: found.id, person: person.name, name, ended_sessions }
}

const noPasskey = (id: string) =>
  notFound(`No passkey has the number ${id}. \`tollgate passkey list\` shows all.`)
