// The command `plugin`: writes the types for custom plugins, lists the plugins, and checks that each can be loaded.
import { rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { readCatalogueOf } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../src/app/command-line/terminal.ts'
import { countHooks } from '../../src/calls/hooks/registered.ts'
import { requestIdAt } from '../../src/domain/request-id.ts'
import { createTally } from '../../src/observe/tally.ts'
import { giveToFolderOwner, refuseUnwritable } from '../../src/store/folder.ts'
import { unfinishedName } from '../../src/store/work-folder.ts'
import { atEnd } from '../../src/utilities/at-end.ts'
import { findPlugins, type PluginFile, pluginsFolder, TYPES_FILE } from './files.ts'
import { logTo } from './own-command.ts'
import { NO_SETTINGS } from './settings.ts'
import type { Trial } from './trial.ts'

export function addPluginCommands(program: Command, deps: CliDeps): void {
  const plugin = program
    .command('plugin')
    .summary('Write and check custom plugins.')
    .description(
      'Write and check custom plugins: TypeScript files in plugins/ of the data folder. A start loads them in the order ' +
        'of their names. Each can add routes, and hooks before and after calls.',
    )
  addExample(plugin.command('types'), 'plugin types')
    .summary('Write the types that plugins use.')
    .description(
      `Write plugins/${TYPES_FILE}, with the types for your editor. Run this again after an upgrade. ` +
        "Plugins import them: import type { TollgatePlugin } from './tollgate.d.ts'.",
    )
    .action(async (_: object, command: Command) => writeTypes(contextOf(command, deps)))
  addExample(plugin.command('list'), 'plugin list')
    .summary('List the plugins that a start loads.')
    .description('List the files that a start loads as plugins, in order, without running them.')
    .action((_: object, command: Command) => listPlugins(contextOf(command, deps)))
  addExample(plugin.command('check'), 'plugin check --data /var/lib/tollgate')
    .summary('Load each plugin, and show what it registers.')
    .description(
      'Load each plugin as a start would, without a gateway behind it, and show what it registers or why it cannot be ' +
        'loaded. This runs its code in a copy of the folder, and for root as the owner of the data folder. Payment methods are ' +
        'asked to begin payments, which nobody pays, and to refuse webhooks that nobody signed. The exit status is 1 if any ' +
        'plugin cannot be loaded, or a payment method fails.',
    )
    .action(async (_: object, command: Command) => checkPlugins(contextOf(command, deps), deps))
}

async function writeTypes({ folder: { dir }, answer }: Context): Promise<void> {
  refuseUnwritable(dir)
  const folder = pluginsFolder(dir)
  await mkdir(folder, { recursive: true })
  const path = join(folder, TYPES_FILE)
  const unfinished = unfinishedName(path)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  await writeFile(unfinished, await typesOfPlugins())
  await rename(unfinished, path)
  for (const made of [folder, path]) giveToFolderOwner(made)
  answer({ file: path }, `Written: ${path}`)
}

/** Joins the type files of the plugin API. They are embedded as text and are the ones that the program itself is compiled with. */
async function typesOfPlugins(): Promise<string> {
  const [plugins, payments] = (await Promise.all([
    import('../../src/plugin-api.ts', { with: { type: 'text' } }),
    import('../../src/payment-api.ts', { with: { type: 'text' } }),
  ])) as unknown as { default: string }[]
  return `${plugins?.default.replace(/^import .*\n/m, '')}\n${payments?.default}`
}

const NONE = (folder: string): string =>
  `No plugins in ${folder}. \`tollgate plugin types\` creates the folder and writes the types for one.`

function listPlugins({ folder: { dir }, answer, tableOf, warn }: Context): void {
  const folder = pluginsFolder(dir)
  const { files, skipped } = findPlugins(folder)
  warnOfSkipped(skipped, warn)
  const plugins = files.map(({ name, file }) => ({ name, file }))
  const columns = [
    { head: 'NAME', text: ({ name }: PluginFile) => name },
    { head: 'FILE', text: ({ path }: PluginFile) => path, elastic: true },
  ]
  answer({ folder, plugins, skipped }, tableOf(columns, files, NONE(folder)))
}

function warnOfSkipped(skipped: readonly string[], warn: Context['warn']): void {
  if (skipped.length > 0) warn(`not loaded, because the name does not end with .ts: ${skipped.join(', ')}`)
}

type CheckedPlugin = Awaited<ReturnType<typeof checkTrial>>

async function checkPlugins(
  { folder: data_folder, answer, tableOf, remark, warn }: Context,
  { terminal, now }: CliDeps,
): Promise<void> {
  const folder = pluginsFolder(data_folder.dir)
  const { files, skipped } = findPlugins(folder)
  warnOfSkipped(skipped, warn)
  // A missing or faulty catalogue is ignored, since `tollgate doctor` reports it. Plugins then see no models.
  const reading = await readCatalogueOf(data_folder).catch(() => undefined)
  const catalogue = reading && 'catalogue' in reading ? reading.catalogue : NO_CATALOGUE
  const parts = {
    folder,
    log: logTo(terminal, now),
    catalogue: () => ({ ...catalogue, server: {} }),
    newRequestId: () => requestIdAt(now()),
    error_answers: createTally(),
  }
  // Imported here, because loading Elysia takes longer than most commands.
  const { tryPlugins } = await import('./trial.ts')
  const trials = await tryPlugins(files, { ...parts, data_folder: data_folder.dir })
  const checked: CheckedPlugin[] = []
  for (const trial of trials) checked.push(await checkTrial(trial, now()))
  const ok = checked.every((plugin) => plugin.ok)
  const findings = (await Promise.all(trials.map(findingsOf))).flat()
  const found = findings.length > 0 ? { findings } : {}
  const columns = checked.some(({ payments }) => payments.length > 0) ? [...COLUMNS, PAYMENTS] : COLUMNS
  answer({ ok, folder, plugins: checked, skipped, ...found }, tableOf(columns, checked, NONE(folder)))
  for (const { check, found, advice } of findings) remark(`${check}: ${found}. ${advice}`)
  for (const { problem } of checked) if (problem !== null) remark(problem)
  if (!ok) throw new Exit(EXIT.failed)
}

const NO_CATALOGUE = { models: new Map(), sections: NO_SETTINGS }

/** Runs the checks of a loaded plugin. */
async function findingsOf(trial: Trial): Promise<{ check: string; found: string; advice: string }[]> {
  if (!('plugin' in trial)) return []
  const { definition, own } = trial.plugin
  const found = (definition.checks ?? []).map(async ({ name, look }) => {
    const finding = await look(own)
    return finding ? [{ check: `${trial.name} ${name}`, found: finding.found, advice: finding.advice }] : []
  })
  return (await Promise.all(found)).flat()
}

async function checkTrial(trial: Trial, now_ms: number) {
  const { name } = trial
  if (!('plugin' in trial))
    return {
      name,
      ok: false,
      routes: [],
      before_call: 0,
      after_settle: 0,
      problem: trial.problem,
      payments: [],
    }
  const { routes, hooks, payments } = trial.plugin
  const { contractFaults } = await import('../payments/index.ts')
  const methods = await Promise.all(
    payments.map(async (method) => ({ name: method.name, faults: await contractFaults(method, now_ms) })),
  )
  const problem = methods
    .flatMap((method) => method.faults.map((fault) => `${name}: payment method ${method.name}: ${fault}`))
    .join('\n')
  return {
    ...{ name, ok: problem === '', routes, ...countHooks(hooks) },
    problem: problem === '' ? null : problem,
    payments: methods,
  }
}

const isLoaded = ({ ok, payments }: CheckedPlugin): boolean => ok || payments.length > 0

function resultOf(checked: CheckedPlugin): string {
  if (checked.ok) return 'ok'
  return isLoaded(checked) ? 'payments fail' : 'cannot be loaded'
}

const PAYMENTS = {
  head: 'PAYMENTS',
  text: ({ payments }: CheckedPlugin) => payments.map(({ name }) => name).join(', '),
}

const COLUMNS = [
  { head: 'NAME', text: ({ name }: CheckedPlugin) => name },
  { head: 'RESULT', text: resultOf },
  {
    head: 'BEFORE CALL',
    text: (checked: CheckedPlugin) => (isLoaded(checked) ? String(checked.before_call) : ''),
    right: true,
  },
  {
    head: 'AFTER SETTLE',
    text: (checked: CheckedPlugin) => (isLoaded(checked) ? String(checked.after_settle) : ''),
    right: true,
  },
  { head: 'ROUTES', text: ({ routes }: CheckedPlugin) => routes.join(', '), elastic: true },
]
