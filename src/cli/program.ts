// The command line as a whole: its commands, the options that all of them take, and the exit status.
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { COMMANDS } from './commands.ts'
import { explain } from './failure.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

/**
 * Runs one command line.
 *
 * @param args without the program's own name
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage; what went wrong has been written to standard error
 */
export async function run(args: readonly string[], deps: CliDeps): Promise<number> {
  try {
    await createProgram(deps).parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof Exit) return error.status
    // Commander has already written what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    deps.terminal.err(`error: ${explain(error)}`)
    return EXIT.failed
  }
}

function createProgram(deps: CliDeps): Command {
  const { out, err } = deps.terminal
  const program = new Command('tollgate')
    .description('A paid gateway in front of hosted models, in one binary.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'Print the help of a command.')
    .option('--data <dir>', 'data folder (default: $TOLLGATE_DATA, else ./data)')
    .option('--json', 'answer in JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => err(text.trimEnd()),
    })
    .showHelpAfterError('(--help lists what this command takes)')
    .exitOverride()
  for (const addCommand of COMMANDS) addCommand(program, deps)
  return program
}
