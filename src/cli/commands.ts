// The commands, in the order of the help. A new command is a file beside this one and a line in this list.
import type { Command } from 'commander'
import { addAccountCommands } from './account.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommand } from './backup.ts'
import { addConfigCommands } from './config.ts'
import { addConsoleCommands } from './console.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEntriesCommand } from './entries.ts'
import { addHealthCommand } from './health.ts'
import { addKeyCommands } from './key.ts'
import { addLicensesCommand } from './licenses.ts'
import { addModelsCommand } from './models.ts'
import { addMoneyCommands } from './money.ts'
import { addPluginCommands } from './plugin.ts'
import { addPricesCommands } from './prices.ts'
import { addProvidersCommands } from './providers.ts'
import { addRestoreCommand } from './restore.ts'
import { addServeCommand } from './serve.ts'
import type { CliDeps } from './terminal.ts'
import { addUsageCommand } from './usage.ts'

/** Adds one command, with its options and what it does, to the program. */
export type AddCommand = (program: Command, deps: CliDeps) => void

export const COMMANDS: readonly AddCommand[] = [
  addServeCommand,
  addAccountCommands,
  addMoneyCommands,
  addEntriesCommand,
  addKeyCommands,
  addModelsCommand,
  addPricesCommands,
  addProvidersCommands,
  addUsageCommand,
  addConsoleCommands,
  addAuditCommand,
  addBackupCommand,
  addRestoreCommand,
  addConfigCommands,
  addPluginCommands,
  addDoctorCommand,
  addHealthCommand,
  addLicensesCommand,
]
