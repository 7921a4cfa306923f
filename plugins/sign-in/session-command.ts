// `session`: lists the sessions of the console, or ends one.
import type { Command } from 'commander'
import { sessionQueries } from '../../src/access/session-queries.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { wholeListCommand } from '../../src/app/list/command.ts'
import { notFound } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import type { SessionRow } from '../../src/store/schema.ts'
import { every_session } from './every-session.ts'

export function addSessionCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'session').description('See who is signed in to the console.')
  addList(group, deps)
  addExample(group.command('end <id>'), 'session end 12')
    .summary('End a session.')
    .description(
      'End a session, by its number in `session list`. The person can sign in again: `staff disable` and `account suspend` keep them out.',
    )
    .action(async (id: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const ended = await withDatabase(folder, 'write', (db) => db.begin((tx) => endSession(tx, id)))
      answer(ended, `Session ${ended.id} ended.`)
    })
}

const addList = wholeListCommand(every_session, {
  empty_text: 'Nobody is signed in.',
  description: 'List who is signed in to the console, from where and by what.',
  example: 'session list --json',
  order: (one, other) => one.id - other.id,
})

/** @throws GatewayError not_found */
async function endSession(tx: Tx, text: string): Promise<{ id: number }> {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0
  const row: SessionRow | undefined = await sessionQueries(tx).byId.get({ id })
  const ended = row ? await sessionQueries(tx).remove.all({ id }) : []
  if (!row || ended.length === 0)
    throw notFound(`No session has the number ${text}. \`tollgate session list\` shows all.`)
  await recordAction(tx, {
    action: 'session.ended',
    account_id: row.account_id ?? undefined,
    key_id: row.key_id ?? undefined,
    before: { session: id },
  })
  return { id }
}
