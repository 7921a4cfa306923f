// `mail`: lists mails and unsubscribed recipients, retries or deletes failed mails, and tests the mail server.
import { type Command, InvalidArgumentError } from 'commander'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup, EXIT, Exit } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { mail_list } from './list.ts'
import { deleteMail, retryMail } from './store.ts'
import { sendTest } from './test-mail.ts'
import { unsubscribed_list } from './unsubscribed-list.ts'

const addList = listCommand(mail_list, {
  name: 'list',
  row: 'mail',
  rows: 'mails',
  empty_text: 'No mails.',
  summary: 'List mails, and why some were not sent.',
  description:
    'List mails of the last 90 days, newest first: to whom, whether they were sent, and why not. ' +
    'What failed was tried for a day, or refused for good.',
  example: 'mail list --state failed',
})

const addUnsubscribed = listCommand(unsubscribed_list, {
  name: 'unsubscribed',
  row: 'address',
  rows: 'addresses',
  empty_text: 'Nobody unsubscribed.',
  summary: 'List who unsubscribed from notices.',
  description: 'List addresses that get no notices of an account any more: their owners unsubscribed.',
  example: 'mail unsubscribed',
})

export function addMailCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'mail').description('See mails, and test the mail server.')
  addList(group, deps)
  addTest(group, deps)
  addRetry(group, deps)
  addDelete(group, deps)
  addUnsubscribed(group, deps)
}

function addTest(group: Command, deps: CliDeps): void {
  addExample(group.command('test <address>'), 'mail test anna@example.com')
    .description('Send a test mail now, and print what the mail server says.')
    .action(async (to: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { catalogue } = await requireCatalogue(folder)
      const result = await sendTest(catalogue, to)
      answer(result, result.sentence)
      if (result.failure !== null) throw new Exit(EXIT.failed)
    })
}

function addRetry(group: Command, deps: CliDeps): void {
  addExample(group.command('retry <id>'), 'mail retry 12')
    .description('Send a failed mail again. One with a sign-in link needs a new link.')
    .action(async (text: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const id = readId(text)
      await withDatabase(folder, 'write', (db) => db.begin((tx) => retryMail(tx, id, deps.now())))
      answer({ id, state: 'queued' }, `Mail ${id} is queued. A running gateway sends it.`)
    })
}

function addDelete(group: Command, deps: CliDeps): void {
  addExample(group.command('delete <id>'), 'mail delete 12')
    .description('Delete a failed mail from the list.')
    .action(async (text: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const id = readId(text)
      await withDatabase(folder, 'write', (db) => db.begin((tx) => deleteMail(tx, id)))
      answer({ id, state: 'deleted' }, `Mail ${id} deleted.`)
    })
}

function readId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError(`"${text}" is not a number from the column ID.`)
  return Number(text)
}
