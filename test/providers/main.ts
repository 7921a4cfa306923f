// The strict simulated providers as a program: `bun test/providers/main.ts --port 9900` serves them, and prints the catalogue that uses them.
import { parseArgs } from 'node:util'
import { catalogueAt } from './catalogue.ts'
import { createSimulator } from './index.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '9900' } } })
const { url } = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(values.port),
  idleTimeout: 0,
  fetch: createSimulator().fetch,
})
process.stdout.write(catalogueAt(url.origin))
