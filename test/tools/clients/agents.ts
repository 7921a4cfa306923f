// Coding agents as clients: their tasks, their output and their effects.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AGENT_PROGRAMS, type Agent, PICTURE, type Task } from './agent-programs.ts'
import type { Client, Place } from './client.ts'
import { type Connection, type Feature, type Observation, UNKNOWN_MODEL, WRONG_KEY } from './feature.ts'
import { IMAGE_PROMPT, PNG_BASE64, PROMPT, SCHEMA_PROMPT } from './material.ts'
import { type ProgramResult, runProgram } from './process.ts'

const TIMEOUT_MS = 300_000
const ACTION = 'Run three shell commands, one after another, and say what they print.'
/** The trace that each command of the script leaves in the working directory. */
const TRACES = 'steps.txt'

async function run(agent: Agent, task: Task, at: Connection, place: Place): Promise<ProgramResult> {
  const { command, env = {}, files = {}, stdin } = agent.start(task, at, place)
  if (task.picture) await writeFile(join(place.work, task.picture), Buffer.from(PNG_BASE64, 'base64'))
  for (const [name, text] of Object.entries(files)) await Bun.write(join(place.work, name), text)
  return await runProgram(command, {
    cwd: place.work,
    env: { CI: '1', NO_COLOR: '1', TERM: 'dumb', ...env },
    timeout_ms: TIMEOUT_MS,
    any_status: true,
    ...(stdin === undefined ? {} : { stdin }),
  })
}

async function outputOf(...run_of: Parameters<typeof run>): Promise<string> {
  const { stdout, stderr } = await run(...run_of)
  return `${stdout}\n${stderr}`
}

const SHOWS: Readonly<Record<Feature, (agent: Agent, at: Connection, place: Place) => Promise<Observation>>> =
  {
    text: async (agent, at, place) => ({ text: await outputOf(agent, { prompt: PROMPT }, at, place) }),
    stream: async (agent, at, place) => ({ text: await outputOf(agent, { prompt: PROMPT }, at, place) }),
    async tools(agent, at, place) {
      const text = await outputOf(agent, { prompt: ACTION }, at, place)
      const traces = await readFile(join(place.work, TRACES), 'utf8').catch(() => '') // without a trace, no command was run
      return { text, called: traces.split('\n').filter((trace) => trace !== '') }
    },
    image: async (agent, at, place) => ({
      text: await outputOf(agent, { prompt: IMAGE_PROMPT, picture: PICTURE }, at, place),
    }),
    async schema(agent, at, place) {
      const output = await outputOf(agent, { prompt: SCHEMA_PROMPT, structured: true }, at, place)
      return { json: output.split('\n').map(stayIn).find(Boolean) }
    },
    errors: async (agent, at, place) => ({
      wrong_key: await outputOf(agent, { prompt: PROMPT }, { ...at, key: WRONG_KEY }, place),
      unknown_model: await outputOf(agent, { prompt: PROMPT }, { ...at, model: UNKNOWN_MODEL }, place),
    }),
  }

/** The answer in a line, which is the answer itself or an agent's report with it. */
function stayIn(line: string): unknown {
  if (!line.startsWith('{')) return undefined
  try {
    const read = JSON.parse(line)
    return 'city' in read ? read : read.structured_output
  } catch {
    return undefined // a line of text that begins like JSON
  }
}

/** An agent that calls tools. */
export interface ToolAgent {
  readonly client: Client
  readonly loses_signatures: boolean
  /** Runs the agent with a prompt, to its end. */
  run(prompt: string, at: Connection, place: Place): Promise<ProgramResult>
}

const clientOf = (agent: Agent): Client => ({
  ...agent,
  group: 'Agents',
  show: (feature, at, place) => SHOWS[feature](agent, at, place),
})

export const AGENTS: readonly Client[] = AGENT_PROGRAMS.map(clientOf)
export const TOOL_AGENTS: readonly ToolAgent[] = AGENT_PROGRAMS.filter(({ features }) =>
  features.includes('tools'),
).map((agent) => ({
  client: clientOf(agent),
  loses_signatures: agent.loses_signatures === true,
  run: (prompt, at, place) => run(agent, { prompt }, at, place),
}))
