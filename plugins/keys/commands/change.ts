// `key change`: changes the name and limits of a key; its text stays the same.
import type { Command } from 'commander'
import { type KeyChanges, MAX_CONCURRENT_CALLS } from '../../../src/access/key-settings.ts'
import { changeKey } from '../../../src/access/keys.ts'
import { readCount, readExpiry, readLimit, readList } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addLimitOptions, type LimitOptions, limitsIn } from '../../../src/app/command-line/limit-options.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { keyFields, withOwner } from '../list.ts'

interface ChangeOptions extends LimitOptions {
  name?: string
  models?: Limit<string[]>
  spendLimit?: Limit<Nanos>
  concurrentCalls?: Limit<number>
  expires?: Limit<number>
  addresses?: Limit<string[]>
}

/** The new limit; null removes it. Wrapped, because commander treats null as an option without a value. */
interface Limit<T> {
  to: T | null
}

/** Returns a reader that accepts `word` for removing the limit. */
const or =
  <T>(word: string, read: (text: string) => T) =>
  (text: string): Limit<T> => ({ to: text === word ? null : read(text) })

export function addKeyChange(key: Command, deps: CliDeps): void {
  const change = addExample(key.command('change <key>'), 'key change tg_AbCdEf --limit-day 2')
    .summary('Change the name or the limits of a key.')
    .description(
      'Change the name or the limits of a key. Options that you leave out change nothing. <key> is its prefix or its ' +
        'number in `key list`. The secret stays the same.',
    )
    .option('--name <name>', 'its name, such as laptop')
    .option('--models <list>', 'models it may call, or all', or('all', readList))
    .option('--spend-limit <usd>', 'total spend limit, or none', or('none', readLimit))
  addLimitOptions(change)
    .option(
      '--concurrent-calls <count>',
      'maximum concurrent requests, or any',
      or('any', readCount(MAX_CONCURRENT_CALLS)),
    )
    .option(
      '--expires <when>',
      'when it expires: a duration, its last day, or never',
      or('never', readExpiry(deps.now)),
    )
    .option('--addresses <list>', 'allowed networks, or anywhere', or('anywhere', readList))
    .action(async (reference: string, options: ChangeOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changes = changesOf(options)
      if (Object.keys(changes).length === 0)
        throw invalidRequest('Nothing to change: give --name, --models, a limit, --expires or --addresses.')
      const changed = await withDatabase(folder, 'write', async (db) =>
        withOwner(db, await changeKey(db, reference, changes, deps.now())),
      )
      const { name, prefix, account_name } = changed
      answer(
        keyFields(changed, deps.now()),
        `Key ${name} (${prefix}…) of ${account_name} changed. See tollgate key list ${account_name}.`,
      )
    })
}

function changesOf(options: ChangeOptions): KeyChanges {
  const { name, models, expires, addresses } = options
  const budgets = limitsIn(options)
  return defined({
    name,
    models: models?.to,
    spend_limit_nanos: options.spendLimit?.to,
    concurrent_calls: options.concurrentCalls?.to,
    expires_at_ms: expires?.to,
    addresses: addresses?.to,
    budgets: Object.keys(budgets).length > 0 ? budgets : undefined,
  })
}
