// The command `x`: runs commands of custom plugins. It loads only the plugin of the command, and does not open it.
import type { TObject } from '@sinclair/typebox'
import type { Command } from 'commander'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, type Terminal } from '../../src/app/command-line/terminal.ts'
import { invalidRequest, notFound } from '../../src/domain/errors.ts'
import { createLogger } from '../../src/observe/log.ts'
import type { PluginCommand, PluginDefinition } from '../../src/plugin-api.ts'
import { importPlugin } from './definition.ts'
import { findPlugins, type PluginFile, pluginsFolder, refuseForeignOwners, userOfGateway } from './files.ts'
import { pluginRefusal } from './refusal.ts'
import { settingsOf } from './settings.ts'

export function addOwnCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('x')
    .argument('<plugin>', 'its file in plugins/, without .ts')
    .argument('[command]', 'one of its commands; without it, they are listed')
    .argument('[args...]', 'arguments of the command')
    .allowUnknownOption()
    .summary('Run a command of a custom plugin.')
    .description(
      'Run a command that a custom plugin defines. This loads only the plugin; no gateway is needed.',
    )
    .action(async (plugin: string, name: string | undefined, args: string[], _: object, each: Command) =>
      runOwnCommand(plugin, name, args, each, deps),
    )
  addExample(command, 'x call-budget report 2026-11')
}

async function runOwnCommand(
  plugin: string,
  name: string | undefined,
  args: readonly string[],
  command: Command,
  deps: CliDeps,
): Promise<void> {
  const { folder, json, answer } = contextOf(command, deps)
  const plugins = pluginsFolder(folder.dir)
  const { files } = findPlugins(plugins)
  const file = files.find((each) => each.name === plugin)
  if (!file) throw notFound(`No plugin ${plugin} in ${plugins}. \`tollgate plugin list\` shows all.`)
  const definition = await importOwned(file, userOfGateway(folder.dir))
  const commands: [name: string, command: PluginCommand<unknown>][] = Object.entries(
    definition.commands ?? {},
  )
  if (name === undefined) {
    const listed = commands.map(([each, { summary }]) => ({ name: each, summary }))
    const lines = listed.map(({ name, summary }) => `tollgate x ${plugin} ${name}: ${summary}`)
    answer({ plugin, commands: listed }, lines.join('\n') || `${plugin} has no commands.`)
    return
  }
  const run = commands.find(([each]) => each === name)?.[1].run
  if (!run) {
    const known = commands.map(([each]) => each).join(', ') || 'none'
    throw invalidRequest(`${plugin} has no command ${name}. Its commands: ${known}.`)
  }
  const { terminal } = deps
  const print = (line: string) => terminal.out(line)
  const settings = definition.settings && (await readSettings(file, definition, { ...deps, folder }))
  const result: unknown = await run({ args, settings, folder: plugins, print })
  if (result === undefined) return
  if (typeof result === 'string' && !json) print(result)
  else print(JSON.stringify(result, null, 2))
}

async function importOwned({ path }: PluginFile, user: number | undefined): Promise<PluginDefinition> {
  try {
    refuseForeignOwners(path, user)
    return await importPlugin(path)
  } catch (thrown) {
    throw pluginRefusal(path, thrown)
  }
}

/** A logger for plugins that a command loads, which writes to the terminal. */
export const logTo = (terminal: Terminal, now: () => number) =>
  createLogger({
    level: 'info',
    secrets: [],
    destination: { write: (line) => terminal.err(line.trimEnd()), flushSync() {} },
    now,
  })

async function readSettings(
  { name, path }: PluginFile,
  { settings }: PluginDefinition,
  { folder, terminal, now }: CliDeps & { folder: Parameters<typeof requireCatalogue>[0] },
): Promise<unknown> {
  const { catalogue } = await requireCatalogue(folder)
  const { t } = await import('elysia')
  try {
    const schema = settings?.(t as never) as TObject | undefined
    return settingsOf(name, schema, { catalogue: () => catalogue, log: logTo(terminal, now) })()
  } catch (thrown) {
    throw pluginRefusal(path, thrown)
  }
}
