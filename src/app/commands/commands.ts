// The core's commands, in the order of the help. A capability brings its own (app/plugin.ts).
import type { Commands } from '../command-line/terminal.ts'

export const COMMANDS: Commands = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  audit: async () => (await import('./audit.ts')).addAuditCommand,
  health: async () => (await import('./health.ts')).addHealthCommand,
  licenses: async () => (await import('./licenses.ts')).addLicensesCommand,
}
