// `key change`: another name and other limits for a key that stays the same.
import type { Command } from 'commander'
import { listAccounts } from '../access/accounts.ts'
import { changeKey, type KeySettings } from '../access/keys.ts'
import { invalidRequest } from '../domain/errors.ts'
import type { Nanos } from '../domain/money.ts'
import { readExpiry, readLimit, readList } from './arguments.ts'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import { keyView } from './key-view.ts'
import type { CliDeps } from './terminal.ts'

interface ChangeOptions {
  name?: string
  models?: Limit<string[]>
  spendLimit?: Limit<Nanos>
  expires?: Limit<number>
  addresses?: Limit<string[]>
}

/** What a limit becomes; null: none. In an object, since commander takes a null for an option without a value. */
interface Limit<T> {
  to: T | null
}

/** A reader for which one word takes a limit away. */
const or =
  <T>(word: string, read: (text: string) => T) =>
  (text: string): Limit<T> => ({ to: text === word ? null : read(text) })

export function addKeyChange(key: Command, deps: CliDeps): void {
  key
    .command('change <key>')
    .summary('Change the name or the limits of a key.')
    .description(
      'Change the name or the limits of a key; what is left out stays as it is. <key> is its prefix or its number in ' +
        '`key list`. Its text stays the same.',
    )
    .option('--name <name>', 'what the key is for')
    .option('--models <list>', 'models it may call, or all', or('all', readList))
    .option(
      '--spend-limit <usd>',
      'most that all of its calls together may cost, or none',
      or('none', readLimit),
    )
    .option(
      '--expires <when>',
      'when it expires: a duration, its last day, or never',
      or('never', readExpiry(deps.now)),
    )
    .option('--addresses <list>', 'where it may be used from, or anywhere', or('anywhere', readList))
    .action((reference: string, options: ChangeOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changes = changesOf(options)
      if (Object.keys(changes).length === 0)
        throw invalidRequest(
          'Nothing to change: give --name, --models, --spend-limit, --expires or --addresses.',
        )
      const { changed, account } = withDatabase(folder, 'write', (db) => {
        const changed = changeKey(db, reference, changes, deps.now())
        return { changed, account: listAccounts(db).find(({ id }) => id === changed.account_id)?.name ?? '' }
      })
      answer(
        keyView(changed, account, deps.now()),
        `Key ${changed.name} (${changed.prefix}…) of ${account} is changed: see tollgate key list ${account}.`,
      )
    })
}

/** What was given. */
function changesOf({ name, models, spendLimit, expires, addresses }: ChangeOptions): Partial<KeySettings> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(models === undefined ? {} : { models: models.to }),
    ...(spendLimit === undefined ? {} : { spend_limit_nanos: spendLimit.to }),
    ...(expires === undefined ? {} : { expires_at_ms: expires.to }),
    ...(addresses === undefined ? {} : { addresses: addresses.to }),
  }
}
