// The core's commands, in the order of the help. A capability brings its own (app/plugin.ts).
import type { Commands } from '../command-line/terminal.ts'

export const COMMANDS: Commands = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  'audit-at-start': async () => (await import('./audit-at-start.ts')).addAuditAtStartCommand,
  'try-images': async () => (await import('./try-images.ts')).addTryImagesCommand,
  health: async () => (await import('./health.ts')).addHealthCommand,
  licenses: async () => (await import('./licenses.ts')).addLicensesCommand,
}
