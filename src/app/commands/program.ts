// The command line: its commands, the global options, and the exit status.
import { Command, CommanderError } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { visible } from '../../utilities/visible-text.ts'
import { DEFAULT_DATA_FOLDER, dataFolderOf } from '../command-line/data-folder.ts'
import { describeFailure, explain, type Failed } from '../command-line/failure.ts'
import {
  type AddCommand,
  type CliDeps,
  type Commands,
  EXIT,
  Exit,
  type Terminal,
} from '../command-line/terminal.ts'
import { addEnvFile } from './env-file.ts'

export const COMMANDS: Commands = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  'audit-at-start': async () => (await import('./audit-at-start.ts')).addAuditAtStartCommand,
  'try-images': async () => (await import('./try-images.ts')).addTryImagesCommand,
  health: async () => (await import('./health.ts')).addHealthCommand,
  licenses: async () => (await import('./licenses.ts')).addLicensesCommand,
}

/**
 * Runs one command line.
 * @param args without the program's own name
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage. The error has been written to standard error, with
 * --json as `{"error":{"message","code","exit_status"}}`
 */
export async function run(args: readonly string[], outside: CliDeps): Promise<number> {
  const deps = { ...outside, terminal: withVisibleText(outside.terminal) }
  const json = wantsJson(args)
  const fail = (failed: Failed, exit_status: number): number => {
    if (json) deps.terminal.err(JSON.stringify({ error: { ...failed, exit_status } }))
    return exit_status
  }
  let folder: string | undefined
  try {
    const program = createProgram(await loadCommands(args, allCommands(deps.commands)), deps, json)
    program.hook('preAction', () => {
      folder = dataFolderOf(program.opts(), deps.env)
    })
    await program.parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof Exit) return error.status
    if (error instanceof CommanderError) {
      // Commander has already written the error, except with --json.
      return error.exitCode === 0 ? EXIT.ok : fail(wrongUsage(error), EXIT.usage)
    }
    if (!json) deps.terminal.err(`error: ${explain(error, folder)}`)
    return fail(describeFailure(error, folder), EXIT.failed)
  }
}

/** Escapes control sequences in text from outside, such as a provider's message or a note. JSON keeps its value. */
const withVisibleText = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => terminal.out(visible(text)),
  err: (text) => terminal.err(visible(text)),
})

/** Reads the raw arguments, since they may fail to parse. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}

function wrongUsage({ code, message }: CommanderError): Failed {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const needs_command = code === 'commander.help'
  return { message: needs_command ? 'Name a command: --help lists them.' : text, code: 'usage' }
}

/** Returns the core's commands, then those of plugins. @throws Error if a plugin's command has the name of a core command */
function allCommands(of_plugins: Commands): Commands {
  const taken = Object.keys(of_plugins).find((name) => Object.hasOwn(COMMANDS, name))
  if (taken !== undefined) throw new Error(`a plugin has a command with the name of the core's: ${taken}`)
  return { ...COMMANDS, ...of_plugins }
}

/** Loads the command that the command line begins with; all of them for the help, or if an option comes first. */
function loadCommands([first = '']: readonly string[], commands: Commands): Promise<AddCommand[]> {
  const one = Object.hasOwn(commands, first) ? commands[first] : undefined
  return Promise.all(one ? [one()] : Object.values(commands).map((load) => load()))
}

function createProgram(commands: readonly AddCommand[], deps: CliDeps, json: boolean): Command {
  const { out, err } = deps.terminal
  const program = new Command('tollgate')
    .description('A paid gateway in front of hosted models, in one binary.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--data <dir>', `data folder (default: $TOLLGATE_DATA, else ${DEFAULT_DATA_FOLDER})`)
    .option('--env-file <file>', 'read environment variables from a file, as systemd does')
    .option('--json', 'print JSON, errors and warnings included')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: true })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => {
        if (!json) err(text.trimEnd())
      },
    })
    .showHelpAfterError('(--help lists what this command takes)')
    .exitOverride()
    .hook('preAction', (_, command) => {
      const { envFile } = command.optsWithGlobals<{ envFile?: string }>()
      if (envFile !== undefined) addEnvFile(envFile, deps.env)
    })
  for (const addCommand of commands) addCommand(program, deps)
  addHelpCommands(program)
  return program
}

/** Adds `help` to each command that has subcommands. */
function addHelpCommands(command: Command): void {
  if (command.commands.length === 0) return
  command.commands.forEach(addHelpCommands)
  command.helpCommand(false)
  command
    .command('help')
    .argument('[command...]')
    .summary('Print the help of a command.')
    .description('Print the help of a command, such as `help key create`.')
    .action((names: string[]) => helpOf(command, names))
}

function helpOf(command: Command, [name, ...further]: readonly string[]): never {
  if (name === undefined) return command.help()
  const inner = command.commands.find((each) => each.name() === name)
  return inner ? helpOf(inner, further) : refuse(command, name)
}

/** Reports an unknown subcommand with commander's message, from a copy without arguments: the command might take the name as one. */
function refuse(command: Command, name: string): never {
  const copy = new Command(command.name()).copyInheritedSettings(command)
  for (const inner of command.commands) copy.command(inner.name())
  copy.parse([name], { from: 'user' })
  throw new Error(`${name} is a command of ${command.name()}, and was not found in it`)
}
