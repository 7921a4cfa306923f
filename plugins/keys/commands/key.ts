// `key`: create, list, revoke and rotate API keys; `key change` is in key-change.ts. A key's text is shown here once, and nowhere else.
import type { Command } from 'commander'
import { accountByName, listAccounts } from '../../../src/access/accounts.ts'
import { MAX_CONCURRENT_CALLS } from '../../../src/access/key-settings.ts'
import { keyStatus } from '../../../src/access/key-status.ts'
import { keyView, ownerOf } from '../../../src/access/key-view.ts'
import {
  createKey,
  freeKeyName,
  type IssuedKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/access/keys.ts'
import { compileModelPatterns } from '../../../src/access/model-patterns.ts'
import {
  readCount,
  readExpiry,
  readLimit,
  readList,
  readSeconds,
} from '../../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, readCatalogueOf, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample } from '../../../src/app/command-line/example.ts'
import type { Column } from '../../../src/app/command-line/table.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { localIso, shortDay } from '../../../src/app/command-line/times.ts'
import { usdColumn } from '../../../src/app/commands/sum-columns.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { spendLimitsOf } from '../../../src/domain/spend-limits.ts'
import type { Key } from '../../../src/store/schema.ts'
import { addKeyChange } from './change.ts'

interface CreateOptions {
  name?: string
  models?: string[]
  spendLimit?: Nanos
  dailyLimit?: Nanos
  monthlyLimit?: Nanos
  concurrentCalls?: number
  expires?: number
  addresses?: string[]
}

export function addKeyCommands(program: Command, deps: CliDeps): void {
  const key = program.command('key').description('Manage the API keys of accounts.')
  addCreate(key, deps)
  addList(key, deps)
  addKeyChange(key, deps)
  addRevoke(key, deps)
  addRotate(key, deps)
}

function addCreate(key: Command, deps: CliDeps): void {
  addExample(
    key.command('create <account>'),
    "key create alice --models 'gemini-*' --spend-limit 5 --expires 30d",
  )
    .summary('Create a key and print it.')
    .description('Create a key and print it. It is shown only once. Standard output has only the key.')
    .option('--name <name>', 'a name, such as laptop (default: key-1, key-2 …)')
    .option(
      '--models <list>',
      'models it may call, such as gemini-3.5-flash-lite,sim-* (default: all)',
      readList,
    )
    .option('--spend-limit <usd>', 'the most that its calls may cost together', readLimit)
    .option('--daily-limit <usd>', 'the most that its calls may cost in a day (UTC)', readLimit)
    .option('--monthly-limit <usd>', 'the most that its calls may cost in a month (UTC)', readLimit)
    .option(
      '--concurrent-calls <count>',
      'how many of its calls may run at the same time',
      readCount(MAX_CONCURRENT_CALLS),
    )
    .option('--expires <when>', 'when it expires: a duration (30d), or its last day', readExpiry(deps.now))
    .option('--addresses <list>', 'allowed networks, such as 10.0.0.0/8,203.0.113.7', readList)
    .action(async (account_name: string, options: CreateOptions, command: Command) => {
      const context = contextOf(command, deps)
      const issued = await withDatabase(context.folder, 'write', (db) =>
        db.begin(async (tx) => {
          const { id } = await accountByName(tx, account_name)
          const settings = {
            name: options.name ?? (await freeKeyName(tx, id, deps.now())),
            models: options.models ?? null,
            spend_limit_nanos: options.spendLimit ?? null,
            daily_limit_nanos: options.dailyLimit ?? null,
            monthly_limit_nanos: options.monthlyLimit ?? null,
            concurrent_calls: options.concurrentCalls ?? null,
            addresses: options.addresses ?? null,
            expires_at_ms: options.expires ?? null,
          }
          return createKey(tx, account_name, settings, { randomBytes: deps.randomBytes, now_ms: deps.now() })
        }),
      )
      const unmatched = await patternsOfNoModel(options.models ?? [], context.folder)
      for (const pattern of unmatched)
        context.warn(`no model of the catalogue matches ${pattern} (see \`tollgate models\`)`)
      show(issued, account_name, context, deps.now())
    })
}

function addList(key: Command, deps: CliDeps): void {
  addExample(key.command('list [account]'), 'key list alice')
    .description('List all keys, or those of one account.')
    .action(async (account_name: string | undefined, _: object, command: Command) => {
      const { folder, answer, tableOf } = contextOf(command, deps)
      const now_ms = deps.now()
      const owned = await withDatabase(folder, 'read', async (db) => {
        const names = new Map((await listAccounts(db)).map(({ id, name }) => [id, name]))
        const account_id = account_name === undefined ? undefined : (await accountByName(db, account_name)).id
        const keys = await listKeys(db, account_id)
        return keys.map((one) => ({ one, account: names.get(one.account_id) ?? '' }))
      })
      answer(
        { keys: owned.map(({ one, account }) => keyView(one, account, now_ms)) },
        tableOf(columns(now_ms), owned, 'No keys yet. `tollgate key create ACCOUNT` creates one.'),
      )
    })
}

function addRevoke(key: Command, deps: CliDeps): void {
  addExample(key.command('revoke <key>'), 'key revoke tg_AbCdEf')
    .summary('Revoke a key.')
    .description('Revoke a key. <key> is its prefix or its number in `key list`.')
    .action(async (reference: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { revoked, account } = await withDatabase(folder, 'write', async (db) => {
        const revoked = await revokeKey(db, reference, deps.now())
        return { revoked, account: await ownerOf(db, revoked) }
      })
      answer(
        keyView(revoked, account, deps.now()),
        `Key ${revoked.name} (${revoked.prefix}…) of ${account} is revoked.`,
      )
    })
}

function addRotate(key: Command, deps: CliDeps): void {
  addExample(key.command('rotate <key>'), 'key rotate tg_AbCdEf --grace 24h')
    .summary('Replace a key with a new one.')
    .description(
      'Create a key with the same settings, print it, and revoke the old one. <key> is its prefix or its number ' +
        'in `key list`. The new key is shown only once. Standard output has only the key.',
    )
    .option('--grace <duration>', 'how long the old key still works, such as 1h', readSeconds, 0)
    .action(async (reference: string, { grace }: { grace: number }, command: Command) => {
      const context = contextOf(command, deps)
      const { issued, account } = await withDatabase(context.folder, 'write', async (db) => {
        const issuing = { randomBytes: deps.randomBytes, now_ms: deps.now() }
        const issued = await rotateKey(db, reference, grace, issuing)
        return { issued, account: await ownerOf(db, issued.key) }
      })
      const end = grace === 0 ? 'is revoked' : `works until ${localIso(deps.now() + grace * 1_000)}`
      context.remark(`The old key ${end}.`)
      show(issued, account, context, deps.now())
    })
}

function show({ key, text }: IssuedKey, account: string, { answer, remark }: Context, now_ms: number): void {
  remark(`Key ${key.name} of ${account}. It is shown only once: store it safely.`)
  answer({ key: text, ...keyView(key, account, now_ms) }, text)
}

/** Only worth a warning, since a pattern may be meant for a model that is added later. */
async function patternsOfNoModel(patterns: readonly string[], folder: DataFolder): Promise<string[]> {
  if (patterns.length === 0) return []
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading)) return []
  const ids = [...reading.catalogue.models.keys()]
  return patterns.filter((pattern) => !ids.some(compileModelPatterns([pattern])))
}

function columns(now_ms: number): Column<{ one: Key; account: string }>[] {
  return [
    { head: 'NO', text: ({ one }) => String(one.id), right: true },
    { head: 'PREFIX', text: ({ one }) => one.prefix },
    { head: 'ACCOUNT', text: ({ account }) => account, elastic: true },
    { head: 'NAME', text: ({ one }) => one.name, elastic: true },
    { head: 'STATUS', text: ({ one }) => keyStatus(one, now_ms) },
    { head: 'MODELS', text: ({ one }) => one.models?.join(',') ?? 'all', elastic: true },
    usdColumn('SPENT', ({ one }) => one.spent_nanos),
    {
      head: 'LIMIT',
      text: ({ one }) => limitsText(one),
      right: true,
      spare: 2,
    },
    { head: 'FROM', text: ({ one }) => one.addresses?.join(',') ?? 'anywhere', spare: 1 },
    {
      head: 'EXPIRES',
      text: ({ one }) => (one.expires_at_ms === null ? 'never' : localIso(one.expires_at_ms)),
      narrow: ({ one }) => (one.expires_at_ms === null ? 'never' : shortDay(one.expires_at_ms)),
    },
  ]
}

const PERIODS = { day: '/d', month: '/mo', total: '' }

/** The spend limits of a key: `5/d 100/mo 500`. */
const limitsText = (key: Key): string =>
  spendLimitsOf(key, 0)
    .map(({ period, limit_nanos }) => `${formatUsd(limit_nanos)}${PERIODS[period]}`)
    .join(' ') || '-'
