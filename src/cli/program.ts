// Owns the command line as a whole: its commands, the options that all of them take, and the exit status.
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addAccountCommands } from './account.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommand } from './backup.ts'
import { addConfigCommands } from './config.ts'
import { explain } from './failure.ts'
import { addKeyCommands } from './key.ts'
import { addModelsCommand } from './models.ts'
import { addMoneyCommands } from './money.ts'
import { addRestoreCommand } from './restore.ts'
import { addServeCommand } from './serve.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'
import { addUsageCommand } from './usage.ts'

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
    // Commander has already said what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    deps.terminal.err(`error: ${explain(error)}`)
    return EXIT.failed
  }
}

function createProgram(deps: CliDeps): Command {
  const { out, err } = deps.terminal
  const program = new Command('tollgate')
    .description('A paid gateway in front of hosted models, in one binary.')
    .version(manifest.version)
    .option('--data <dir>', 'the data folder (or TOLLGATE_DATA; ./data where neither is given)')
    .option('--json', 'answer in JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => err(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for what this command takes)')
    .exitOverride()
  // The order of the help.
  addServeCommand(program, deps)
  addAccountCommands(program, deps)
  addMoneyCommands(program, deps)
  addKeyCommands(program, deps)
  addModelsCommand(program, deps)
  addUsageCommand(program, deps)
  addAuditCommand(program, deps)
  addBackupCommand(program, deps)
  addRestoreCommand(program, deps)
  addConfigCommands(program, deps)
  return program
}
