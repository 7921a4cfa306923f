// The command line as a whole: its commands, the options that all of them take, and the exit status.
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { AddCommand } from './commands.ts'
import { describeFailure, explain, type Failed } from './failure.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

/**
 * Runs one command line.
 *
 * @param args without the program's own name
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage; what went wrong has been written to standard error, with
 * --json as `{"error":{"message","code","exit_status"}}`
 */
export async function run(args: readonly string[], deps: CliDeps): Promise<number> {
  const json = asksForJson(args)
  const fail = (failed: Failed, exit_status: number): number => {
    if (json) deps.terminal.err(JSON.stringify({ error: { ...failed, exit_status } }))
    return exit_status
  }
  try {
    const commands = await commandsOf(args)
    await createProgram(commands, deps, json).parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof Exit) return error.status
    if (error instanceof CommanderError) {
      // Commander has already written what is wrong, but for --json.
      return error.exitCode === 0 ? EXIT.ok : fail(wrongUsage(error), EXIT.usage)
    }
    if (!json) deps.terminal.err(`error: ${explain(error)}`)
    return fail(describeFailure(error), EXIT.failed)
  }
}

/** Asked of the bare arguments, since what is wrong may be that they cannot be read. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}

function wrongUsage({ code, message }: CommanderError): Failed {
  const said = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const needs_command = code === 'commander.help'
  return { message: needs_command ? 'Name a command: --help lists them.' : said, code: 'usage' }
}

/** `serve` alone for a process that begins with it: it runs for months, and needs none of the others. */
async function commandsOf([first]: readonly string[]): Promise<readonly AddCommand[]> {
  if (first === 'serve') return [(await import('./serve.ts')).addServeCommand]
  return (await import('./commands.ts')).COMMANDS
}

function createProgram(commands: readonly AddCommand[], deps: CliDeps, json: boolean): Command {
  const { out, err } = deps.terminal
  const program = new Command('tollgate')
    .description('A paid gateway in front of hosted models, in one binary.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'Print the help of a command.')
    .option('--data <dir>', 'data folder (default: $TOLLGATE_DATA, else ./data)')
    .option('--json', 'answer in JSON; errors and warnings too')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => {
        if (!json) err(text.trimEnd())
      },
    })
    .showHelpAfterError('(--help lists what this command takes)')
    .exitOverride()
  for (const addCommand of commands) addCommand(program, deps)
  return program
}
