// `key`: create, list, revoke and rotate API keys. The text of a key is printed once, when it is created.
import type { Command } from 'commander'
import { lockedAccount } from '../../../src/access/accounts.ts'
import type { ListedKey } from '../../../src/access/key-listing.ts'
import { MAX_CONCURRENT_CALLS } from '../../../src/access/key-settings.ts'
import { createKey, freeKeyName, revokeKey, rotateKey } from '../../../src/access/keys.ts'
import { compileModelPatterns } from '../../../src/access/model-patterns.ts'
import { requireKeyHolder } from '../../../src/access/person-keys.ts'
import {
  readCount,
  readExpiry,
  readLimit,
  readList,
  readSeconds,
} from '../../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, readCatalogueOf, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addLimitOptions, type LimitOptions, limitsIn } from '../../../src/app/command-line/limit-options.ts'
import { personIn } from '../../../src/app/command-line/person-of-account.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { localIso } from '../../../src/app/command-line/times.ts'
import { wholeListCommand } from '../../../src/app/list/command.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { Tx } from '../../../src/store/db.ts'
import type { Account } from '../../../src/store/schema.ts'
import { key_list, keyFields, withOwner } from '../list.ts'
import { addKeyChange } from './change.ts'

interface CreateOptions extends LimitOptions {
  name?: string
  person?: string
  models?: string[]
  spendLimit?: Nanos
  concurrentCalls?: number
  expires?: number
  addresses?: string[]
}

const addList = wholeListCommand(key_list, {
  description: 'List all keys, or those of one account.',
  example: 'key list alice',
  empty_text: 'No keys yet. `tollgate key create ACCOUNT` creates one.',
  takes_account: true,
  order: (one, other) => one.id - other.id,
})

export function addKeyCommands(program: Command, deps: CliDeps): void {
  const key = program.command('key').description('Manage the API keys of accounts.')
  addCreate(key, deps)
  addList(key, deps)
  addKeyChange(key, deps)
  addRevoke(key, deps)
  addRotate(key, deps)
}

function addCreate(group: Command, deps: CliDeps): void {
  const create = addExample(
    group.command('create <account>'),
    "key create alice --models 'gemini-*' --spend-limit 5 --expires 30d",
  )
    .summary('Create a key and print it.')
    .description('Create a key and print it. It is shown only once. Standard output has only the key.')
    .option('--name <name>', 'a name, such as laptop (default: key-1, key-2 …)')
    .option(
      '--person <person>',
      'the owner or member whose key it is: an address, or a number (default: nobody in particular)',
    )
    .option(
      '--models <list>',
      'models it may call, such as gemini-3.5-flash-lite,sim-* (default: all)',
      readList,
    )
    .option('--spend-limit <usd>', 'total spend limit in USD', readLimit)
  addLimitOptions(create)
    .option('--concurrent-calls <count>', 'maximum concurrent requests', readCount(MAX_CONCURRENT_CALLS))
    .option('--expires <when>', 'when it expires: a duration (30d), or its last day', readExpiry(deps.now))
    .option('--addresses <list>', 'allowed networks, such as 10.0.0.0/8,203.0.113.7', readList)
    .action(async (account_name: string, options: CreateOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { key, text } = await withDatabase(context.folder, 'write', (db) =>
        db.begin(async (tx) => {
          const account = await lockedAccount(tx, account_name)
          const { id } = account
          const settings = {
            name: options.name ?? (await freeKeyName(tx, id, deps.now())),
            models: options.models ?? null,
            spend_limit_nanos: options.spendLimit ?? null,
            concurrent_calls: options.concurrentCalls ?? null,
            addresses: options.addresses ?? null,
            expires_at_ms: options.expires ?? null,
            budgets: limitsIn(options),
            person_id: options.person === undefined ? null : await holderIn(tx, account, options.person),
          }
          const issuing = { randomBytes: deps.randomBytes, now_ms: deps.now() }
          const { key, text } = await createKey(tx, account_name, settings, issuing)
          return { key: await withOwner(tx, key), text }
        }),
      )
      const unmatched = await patternsOfNoModel(options.models ?? [], context.folder)
      for (const pattern of unmatched)
        context.warn(`no model of the catalogue matches ${pattern} (see \`tollgate models\`)`)
      show({ key, text }, context, deps.now())
    })
}

function addRevoke(key: Command, deps: CliDeps): void {
  addExample(key.command('revoke <key>'), 'key revoke tg_AbCdEf')
    .summary('Revoke a key.')
    .description('Revoke a key. <key> is its prefix or its number in `key list`.')
    .action(async (reference: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const revoked = await withDatabase(folder, 'write', async (db) =>
        withOwner(db, await revokeKey(db, reference, deps.now())),
      )
      answer(
        keyFields(revoked, deps.now()),
        `Key ${revoked.name} (${revoked.prefix}…) of ${revoked.account_name} is revoked.`,
      )
    })
}

function addRotate(group: Command, deps: CliDeps): void {
  addExample(group.command('rotate <key>'), 'key rotate tg_AbCdEf --grace 24h')
    .summary('Replace a key with a new one.')
    .description(
      'Create a key with the same settings, print it, and revoke the old one. <key> is its prefix or its number ' +
        'in `key list`. The new key is shown only once. Standard output has only the key.',
    )
    .option('--grace <duration>', 'how long the old key still works, such as 1h', readSeconds, 0)
    .action(async (reference: string, { grace }: { grace: number }, command: Command) => {
      const context = contextOf(command, deps)
      const { key, text } = await withDatabase(context.folder, 'write', async (db) => {
        const issuing = { randomBytes: deps.randomBytes, now_ms: deps.now() }
        const { key, text } = await rotateKey(db, reference, grace, issuing)
        return { key: await withOwner(db, key), text }
      })
      const end = grace === 0 ? 'is revoked' : `works until ${localIso(deps.now() + grace * 1_000)}`
      context.remark(`The old key ${end}.`)
      show({ key, text }, context, deps.now())
    })
}

interface Issued {
  key: ListedKey
  text: string
}

function show({ key, text }: Issued, { answer, remark }: Context, now_ms: number): void {
  remark(`Key ${key.name} of ${key.account_name}. It is shown only once: store it safely.`)
  answer({ key: text, ...keyFields(key, now_ms) }, text)
}

/** Returns the person's id. @throws GatewayError not_found if the person may not have keys in the account */
async function holderIn(tx: Tx, account: Account, person: string): Promise<number> {
  const of = await personIn(tx, account, person)
  await requireKeyHolder(tx, of)
  return of.person_id
}

/** Patterns without a match cause only a warning, because their models may be added later. */
async function patternsOfNoModel(patterns: readonly string[], folder: DataFolder): Promise<string[]> {
  if (patterns.length === 0) return []
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading)) return []
  const ids = [...reading.catalogue.models.keys()]
  return patterns.filter((pattern) => !ids.some(compileModelPatterns([pattern])))
}
