// The plugin of refused requests: it records them, with lists and sums for callers, the console and the command line.
import { definePlugin } from '../../src/app/plugin.ts'

export const refusals = definePlugin({
  name: 'refusals',
  tables: async () => (await import('./tables.ts')).tables,
  open: async (gateway) => (await import('./recorder.ts')).openRecorder(gateway),
  on: { refused: (recorder, request) => recorder.record(request) },
  routes: async () => (await import('./routes.ts')).refusalRoutes,
  console_routes: async () => (await import('./console.ts')).consoleRoutes,
  commands: { refusals: async () => (await import('./command.ts')).addRefusalsCommand },
  sweeps: [{ name: 'refused requests', sweep: (recorder) => recorder.sweep() }],
  close: (recorder) => recorder.close(),
})
