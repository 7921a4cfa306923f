// The process: arguments in, exit status out; it brings the plugins to the gateway.
import { relaunchWithSettings } from './server/relaunch.ts'

const arguments_ = process.argv.slice(2)
// Before anything else is loaded, since this may replace the process.
if (arguments_.includes('serve')) relaunchWithSettings(process.argv)

const [{ plugins }, { run }, { startGateway }] = await Promise.all([
  import('../plugins/index.ts'),
  import('./cli/program.ts'),
  import('./server/serve.ts'),
])

process.exit(
  await run(arguments_, {
    terminal: {
      out: (text) => process.stdout.write(`${text}\n`),
      err: (text) => process.stderr.write(`${text}\n`),
      columns: process.stdout.isTTY ? process.stdout.columns : undefined,
      ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
    },
    env: process.env,
    now: Date.now,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    network: fetch,
    startGateway: (options) => startGateway({ ...options, plugins }),
  }),
)

/** The question goes beside the answer, which may be in a pipe. */
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
