// Entry point of the process: reads the arguments, runs the command with the plugins, exits with its status.
import { writeSync } from 'node:fs'
import type { ProgressTerminal } from './app/command-line/terminal.ts'
import { isServe, relaunchWithSettings } from './app/process/relaunch.ts'

const DEFAULT_COLUMNS = 80

const arguments_ = process.argv.slice(2)
// Before anything else is loaded, since this may replace the process.
if (isServe(arguments_)) relaunchWithSettings(process.argv)

const [
  { addSections },
  { checksOf, commandsOf, sectionsOf, tablesOf },
  { endOutput, outputTo },
  { run },
  { simulatorOf },
  { plugins },
] = await Promise.all([
  import('./catalogue/sections.ts'),
  import('./app/plugins.ts'),
  import('./app/commands/output.ts'),
  import('./app/commands/program.ts'),
  import('./app/process/simulator.ts'),
  import('../plugins/index.ts'),
])

addSections(sectionsOf(plugins))
// The executable defers JIT compilation until a start is over (build/binary.ts). Only `serve` keeps deferring it after this line.
if (!isServe(arguments_)) Bun.unsafe.setJITPolicy(1)
const out = outputTo(() => process.stdout)
const err = outputTo(() => process.stderr)
const status = await run(arguments_, {
  terminal: {
    out: (text) => out.write(`${text}\n`),
    err: (text) => err.write(`${text}\n`),
    drained: async () => (await out.drained()) === undefined,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    progress: process.stderr.isTTY ? progressTerminal() : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
  },
  env: process.env,
  now: Date.now,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  network: fetch,
  simulator: simulatorOf(plugins),
  commands: commandsOf(plugins),
  tables: () => tablesOf(plugins),
  checks: checksOf(plugins),
  async startGateway(options) {
    const { startGateway } = await import('./app/process/serve.ts')
    return await startGateway({ ...options, plugins })
  },
})
process.exit(await endOutput(status, out, err))

/** Writes synchronously: the stream would write only when the command's own work lets it. */
function progressTerminal(): ProgressTerminal {
  return {
    columns: () => process.stderr.columns || DEFAULT_COLUMNS,
    write(text) {
      try {
        writeSync(process.stderr.fd, text)
      } catch {
        // Dropped: the terminal is closed or blocked. The command matters, its progress line does not.
      }
    },
  }
}

/** Asks on standard error, since standard output may be a pipe. */
async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''))
    lines.question(question, (reply) => {
      resolve(reply)
      lines.close()
    })
  })
}
