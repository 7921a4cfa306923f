// The command `alert test`: sends a test message to the webhook of alerts from this machine.
import type { Command } from 'commander'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup, EXIT, Exit } from '../../src/app/command-line/terminal.ts'
import { createWebhookPost, type PostWebhook } from '../../src/media/webhook-post.ts'
import { alertSettings } from './settings.ts'
import { createWebhookTest } from './test-message.ts'

/** @param post the HTTP client for the webhook; tests replace it */
export function addAlertCommands(
  program: Command,
  deps: CliDeps,
  post: PostWebhook = createWebhookPost(),
): void {
  const group = commandGroup(program, 'alert').description('Test the webhook of alerts.')
  addExample(group.command('test'), 'alert test')
    .summary('Send a test alert to the webhook.')
    .description(
      'Send a test alert to the webhook of [alerts] now, and print what the receiver says. ' +
        'It is signed as alerts are, with the type alert.test, and not tried again.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { catalogue } = await requireCatalogue(folder)
      // The command prints the result; a log line would repeat it.
      const log = { info: () => {}, warn: () => {} }
      const settings = () => alertSettings.of(catalogue)
      const { status, failure, sentence } = await createWebhookTest({ settings, post, now: deps.now, log })()
      answer({ status, failure, sentence }, sentence)
      if (failure !== null) throw new Exit(EXIT.failed)
    })
}
