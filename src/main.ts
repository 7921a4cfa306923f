// Owns the process: its arguments, its output, its exit status; and brings the plugins to the gateway.
import { randomBytes } from 'node:crypto'
import { plugins } from '../plugins/index.ts'
import { run } from './cli/program.ts'
import { startGateway } from './serve.ts'

process.exit(
  await run(process.argv.slice(2), {
    terminal: {
      out: (text) => process.stdout.write(`${text}\n`),
      err: (text) => process.stderr.write(`${text}\n`),
    },
    env: process.env,
    now: Date.now,
    randomBytes,
    startGateway: (options) => startGateway({ ...options, plugins }),
  }),
)
