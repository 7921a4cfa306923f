// `bun run clients`: installs real clients, tries them against a gateway, and prints which of them it serves.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AGENTS, TOOL_AGENTS } from './agents.ts'
import type { Client } from './client.ts'
import { GO_CLIENTS } from './go.ts'
import { GUIDES, LIST, listOf, replacePlace, TABLE, WEBSOCKET } from './list.ts'
import { openLoops } from './loops/run.ts'
import { type Line, tableOf } from './loops/table.ts'
import { NPM_CLIENTS } from './npm.ts'
import { PYTHON_CLIENTS } from './python.ts'
import { type Result, readResults, storeResult } from './results.ts'
import { isServedBy, openTrials, type Verdict } from './trial.ts'
import { runTyped } from './typed/run.ts'
import { codexClient } from './websocket/codex.ts'
import { runOverWebSocket } from './websocket/run.ts'
import { websocketTableOf } from './websocket/table.ts'

const CLIENTS: readonly Client[] = [...NPM_CLIENTS, ...PYTHON_CLIENTS, ...GO_CLIENTS, ...AGENTS]

const NAME_WIDTH = Math.max(...CLIENTS.map(({ name }) => name.length)) + 2

const USAGE = `bun run clients [--agents | --websocket | --typed] [--only NAME]... [--cache FOLDER] [--readme]

Tests real clients against its own gateway, and prints the results as JSON. It
first installs missing clients into the cache (all of them: several GB, some
minutes).

  --agents         instead, each agent's tool loop with a current GPT, Claude,
                   Gemini, DeepSeek and Mistral, as strict as these are; prints
                   a table
  --websocket      instead, Codex over a WebSocket, by POST, and by POST in
                   zstd: a tool loop, an interrupted answer, gateways that
                   stop; prints a table
  --typed          instead, every kind of answer read by the types of strict
                   clients: async-openai, openai-java, and Python's openai,
                   anthropic and google-genai; records what they demand
  --only NAME      only these; the beginning of several names works: python
  --cache FOLDER   the folder for installed clients and results
  --readme         writes the list in plugins/clients.md, with the cache's earlier
                   results; with --agents or --websocket the table, of this
                   run, the latter in plugins/responses/README.md

The exit status is 1 if a client was not served, 130 if the run was stopped.

${CLIENTS.map(({ name, version }) => `  ${name.padEnd(NAME_WIDTH)}${version}`).join('\n')}`

/** The exit status of shells for an interrupted program. */
const STOPPED = 130

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    cache: { type: 'string', default: join(tmpdir(), 'tollgate-clients') },
    agents: { type: 'boolean', default: false },
    websocket: { type: 'boolean', default: false },
    typed: { type: 'boolean', default: false },
    readme: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}\n`)
  process.exit(2)
}

function chosen(only: readonly string[] | undefined): readonly Client[] {
  const unknown = only?.find((name) => !CLIENTS.some((client) => client.name.startsWith(name)))
  if (unknown !== undefined) refuse(`Unknown client "${unknown}".`)
  return only ? CLIENTS.filter(({ name }) => only.some((start) => name.startsWith(start))) : CLIENTS
}

if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const { cache } = values
const clients = chosen(values.only)

/** Stops the run; a second signal ends the process at once. */
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(STOPPED)
    process.stderr.write('stopping\n')
    stop.abort(new Error(`stopped by ${signal}`))
  })

const day = new Date().toISOString().slice(0, 10)
try {
  const run = values.agents ? runLoops : values.websocket ? runCodex : values.typed ? runStrict : runTrials
  process.exit((await run()) ? 0 : 1)
} catch (thrown) {
  if (!stop.signal.aborted) throw thrown
  process.exit(STOPPED)
}

/** @returns whether all clients were served */
async function runTrials(): Promise<boolean> {
  const results: Result[] = []
  await using trials = await openTrials({ cache, stopped: stop.signal })
  for (const client of clients) {
    const result = { ...(await trials.of(client)), day }
    results.push(result)
    await storeResult(cache, result)
    process.stderr.write(`${summaryOf(client, result.verdicts)}\n`)
  }
  if (values.readme) await writeReadme(LIST, listOf(await readResults(cache, CLIENTS)))
  const output = results.map(({ client: { name, title, version }, verdicts }) => ({
    name,
    title,
    version,
    verdicts,
  }))
  process.stdout.write(`${JSON.stringify({ day, results: output }, null, 2)}\n`)
  return results.every(({ verdicts }) => isServed(verdicts))
}

/** @returns whether all loops were served */
async function runLoops(): Promise<boolean> {
  const lines: Line[] = []
  await using loops = await openLoops({ cache, stopped: stop.signal })
  for (const agent of TOOL_AGENTS.filter(({ client }) => clients.some(({ name }) => name === client.name))) {
    const row = await loops.of(agent)
    lines.push({ client: agent.client, loses_signatures: agent.loses_signatures, row })
    process.stderr.write(`${summaryOf(agent.client, row)}\n`)
  }
  const table = tableOf(lines, day)
  if (values.readme) await writeReadme(TABLE, table)
  process.stdout.write(`${table}\n`)
  return lines.every(({ row }) => isServed(row))
}

/** @returns whether Codex was served in the same way over each transport */
async function runCodex(): Promise<boolean> {
  const rows = await runOverWebSocket({ cache, stopped: stop.signal })
  for (const { title, wrong } of rows) for (const each of wrong) process.stderr.write(`${title}: ${each}\n`)
  const table = websocketTableOf(rows, codexClient().version, day)
  if (values.readme) await writeReadme(WEBSOCKET, table)
  process.stdout.write(`${table}\n`)
  return rows.every(({ wrong }) => wrong.length === 0)
}

/** @returns whether every client reads every answer */
async function runStrict(): Promise<boolean> {
  const problems = await runTyped({ cache, stopped: stop.signal })
  process.stdout.write(`${JSON.stringify(problems, null, 2)}\n`)
  return problems.length === 0
}

async function writeReadme(place: keyof typeof GUIDES, text: string): Promise<void> {
  const guide = Bun.file(GUIDES[place])
  await guide.write(replacePlace(place, text, await guide.text()))
}

function isServed(verdicts: Readonly<Record<string, Verdict>>): boolean {
  return Object.values(verdicts).every(isServedBy)
}

function summaryOf({ name, version }: Client, verdicts: Readonly<Record<string, Verdict>>): string {
  const wrong = Object.entries(verdicts).flatMap(([tried, verdict]) =>
    verdict === 'yes' ? [] : [`  ${tried}: ${verdict.wrong}`],
  )
  return [`${name} ${version}: ${isServed(verdicts) ? 'served' : 'NOT SERVED'}`, ...wrong].join('\n')
}
