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
    },
    env: process.env,
    now: Date.now,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    network: fetch,
    startGateway: (options) => startGateway({ ...options, plugins }),
  }),
)
