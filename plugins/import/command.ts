// `import`: moves accounts, keys, balances, providers and prices in from another gateway. Without --apply it is a dry run.
import type { Command } from 'commander'
import { checkName } from '../../src/access/accounts.ts'
import { amountReader } from '../../src/app/command-line/arguments.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { addHistoryCommand } from './history/command.ts'
import type { SourceName } from './move-in.ts'
import type { OpenedSource } from './sources.ts'

interface Options {
  apply?: boolean
  as?: string
  openingBalance?: Nanos
}

const APPLY_HELP = 'import; without it you see a preview'
const AS_HELP = 'a name for this import, if you import several databases of one kind'

export function addImportCommand(program: Command, deps: CliDeps): void {
  const group = program
    .command('import')
    .summary('Move in from new-api, one-api or LiteLLM.')
    .description(
      'Import accounts, keys, balances, providers, models and prices from another gateway. Its database is only read. Keys keep ' +
        'working unchanged. Without --apply you see a preview. A second import adds only new rows.',
    )
  for (const source of ['new-api', 'one-api'] as const) addDatabaseImport(group, deps, source)
  addLitellmImport(group, deps)
  addHistoryCommand(group, deps)
}

function addDatabaseImport(group: Command, deps: CliDeps, source: 'new-api' | 'one-api'): void {
  addExample(group.command(`${source} <database>`), `import ${source} /opt/${source}/one-api.db`)
    .summary(`Import from ${source}.`)
    .description(
      `Import from ${source}. The database is its SQLite file, postgres://USER:PASSWORD@HOST/NAME, or a MySQL dump (mysqldump > dump.sql).`,
    )
    .option('--apply', APPLY_HELP)
    .option('--as <name>', AS_HELP)
    .action((database: string, options: Options, command: Command) =>
      runFrom(command, deps, {
        source,
        options,
        open: async () => (await import('./sources.ts')).openDatabase(database, source, deps),
      }),
    )
}

function addLitellmImport(group: Command, deps: CliDeps): void {
  addExample(
    group.command('litellm [database]'),
    'import litellm --config config.yaml postgres://me@localhost/litellm',
  )
    .summary('Import from LiteLLM.')
    .description(
      "Import models and providers from LiteLLM's configuration, and keys, users, teams and their spend from its database. The " +
        'database is an address, postgres://USER:PASSWORD@HOST/NAME.',
    )
    .requiredOption('--config <file>', "the proxy's config.yaml")
    .option(
      '--prices <file>',
      "LiteLLM's model_prices_and_context_window.json, for models without a price in its configuration",
    )
    .option(
      '--opening-balance <usd>',
      'balance in USD for each account without a total budget',
      amountReader(),
    )
    .option('--apply', APPLY_HELP)
    .option('--as <name>', AS_HELP)
    .action((database: string | undefined, options: LitellmOptions, command: Command) =>
      runFrom(command, deps, {
        source: 'litellm',
        options,
        open: async () => (await import('./sources.ts')).openLitellmFrom(options, database, deps),
      }),
    )
}

interface LitellmOptions extends Options {
  config: string
  prices?: string
}

interface RunFrom {
  source: SourceName
  options: Options
  open: () => Promise<OpenedSource>
}

async function runFrom(
  command: Command,
  deps: CliDeps,
  { source: name, options, open }: RunFrom,
): Promise<void> {
  if (options.as !== undefined) checkName(options.as, '--as')
  const context = contextOf(command, deps)
  const [{ runImport }, opened] = await Promise.all([import('./run.ts'), open()])
  await using source = opened.source
  await runImport(
    source,
    {
      name: options.as ?? name,
      apply: options.apply ?? false,
      opening_balance_nanos: options.openingBalance,
      database: opened.address,
    },
    { deps, context },
  )
}
