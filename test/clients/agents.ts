// Coding agents as their users start them without a terminal: what each is told by flags, environment and files.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { Client, Installation, Place } from './client.ts'
import { type Connection, type Feature, type Shown, UNKNOWN_MODEL, WRONG_KEY } from './feature.ts'
import { npmCommandOf } from './install.ts'
import { IMAGE_PROMPT, PNG_BASE64, PROMPT, SCHEMA, SCHEMA_PROMPT } from './material.ts'
import { type Ended, runProgram } from './process.ts'

/** One run of an agent. */
interface Task {
  readonly prompt: string
  /** The name of a picture in the working directory. */
  readonly picture?: string
  /** The answer must be of SCHEMA. */
  readonly structured?: boolean
}

interface Started {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files of the working directory, which is its home too. */
  readonly files?: Readonly<Record<string, string>>
  readonly stdin?: string
}

interface Agent {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly protocol: BuiltInProtocol
  readonly install: Installation
  readonly features: readonly Feature[]
  readonly over_websocket?: boolean
  /** It sends calls back without what signs them: providers get nothing of it that was not shown. */
  readonly loses_signatures?: boolean
  start(task: Task, at: Connection, place: Place): Started
}

const TIMEOUT_MS = 300_000
const PICTURE = 'picture.png'
const ACTION = 'Run three shell commands, one after another, and say what they print.'
/** The trace that each command of the script leaves in the working directory. */
const TRACES = 'steps.txt'

async function run(agent: Agent, task: Task, at: Connection, place: Place): Promise<Ended> {
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

async function printed(...run_of: Parameters<typeof run>): Promise<string> {
  const { stdout, stderr } = await run(...run_of)
  return `${stdout}\n${stderr}`
}

const SHOWS: Readonly<Record<Feature, (agent: Agent, at: Connection, place: Place) => Promise<Shown>>> = {
  text: async (agent, at, place) => ({ text: await printed(agent, { prompt: PROMPT }, at, place) }),
  stream: async (agent, at, place) => ({ text: await printed(agent, { prompt: PROMPT }, at, place) }),
  async tools(agent, at, place) {
    const text = await printed(agent, { prompt: ACTION }, at, place)
    const traces = await readFile(join(place.work, TRACES), 'utf8').catch(() => '') // no trace: no command was run
    return { text, called: traces.split('\n').filter((trace) => trace !== '') }
  },
  image: async (agent, at, place) => ({
    text: await printed(agent, { prompt: IMAGE_PROMPT, picture: PICTURE }, at, place),
  }),
  async schema(agent, at, place) {
    const output = await printed(agent, { prompt: SCHEMA_PROMPT, structured: true }, at, place)
    return { json: output.split('\n').map(stayIn).find(Boolean) }
  },
  errors: async (agent, at, place) => ({
    wrong_key: await printed(agent, { prompt: PROMPT }, { ...at, key: WRONG_KEY }, place),
    unknown_model: await printed(agent, { prompt: PROMPT }, { ...at, model: UNKNOWN_MODEL }, place),
  }),
}

/** A line that is the answer, or an agent's report with the answer in it. */
function stayIn(line: string): unknown {
  if (!line.startsWith('{')) return undefined
  try {
    const read = JSON.parse(line)
    return 'city' in read ? read : read.structured_output
  } catch {
    return undefined // a line of text that begins like JSON
  }
}

const fromNpm = (folder: string, ...packages: readonly string[]): Installation => ({
  by: 'npm',
  folder,
  packages,
})

const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1.330',
  protocol: 'anthropic',
  install: fromNpm('claude-code', '@anthropic-ai/claude-code@2.1.330'),
  features: ['text', 'stream', 'tools', 'image', 'schema', 'errors'],
  start({ prompt, picture, structured }, { url, key, model }, { installed }) {
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG_BASE64 } }
    const message = { role: 'user', content: [block, { type: 'text', text: prompt }] }
    const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
    const schema = ['--json-schema', JSON.stringify(SCHEMA), '--output-format', 'json']
    return {
      command: [
        npmCommandOf(installed, 'claude'),
        '-p',
        ...(picture ? streams : structured ? [prompt, ...schema] : [prompt]),
        ...['--model', model, '--allowedTools', 'Bash'],
      ],
      ...(picture ? { stdin: `${JSON.stringify({ type: 'user', message })}\n` } : {}),
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_MAX_RETRIES: '1',
      },
    }
  },
}

const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  version: '0.169.0',
  protocol: 'openai',
  install: fromNpm('codex', '@openai/codex@0.169.0'),
  over_websocket: true,
  features: ['text', 'stream', 'tools', 'image', 'schema', 'errors'],
  start({ prompt, picture, structured }, { url, key, model }, { installed, work }) {
    return {
      command: [
        npmCommandOf(installed, 'codex'),
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...['-c', `openai_base_url="${url}/v1"`, '-m', model],
        ...(picture ? ['-i', picture] : []),
        ...(structured ? ['--output-schema', 'schema.json'] : []),
        ...['--', prompt],
      ],
      env: { CODEX_API_KEY: key, CODEX_HOME: work },
      files: { 'schema.json': JSON.stringify(SCHEMA) },
    }
  },
}

const geminiCli: Agent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  version: '0.61.0',
  protocol: 'gemini',
  install: fromNpm('gemini-cli', '@google/gemini-cli@0.61.0'),
  features: ['text', 'stream', 'tools', 'image', 'errors'],
  start({ prompt, picture }, { url, key, model }, { installed }) {
    const said = picture ? `${prompt} @${picture}` : prompt
    return {
      command: [npmCommandOf(installed, 'gemini'), '-m', model, '--yolo', '--skip-trust', '-p', said],
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
      files: {
        '.gemini/settings.json': JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false },
        }),
      },
    }
  },
}

const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  version: '0.24.4',
  protocol: 'openai',
  install: fromNpm('qwen-code', '@qwen-code/qwen-code@0.24.4'),
  features: ['text', 'stream', 'tools', 'errors'],
  loses_signatures: true,
  start: ({ prompt }, { url, key, model }, { installed }) => ({
    command: [npmCommandOf(installed, 'qwen'), '--auth-type', 'openai', '-m', model, '--yolo', '-p', prompt],
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
    files: {
      '.qwen/settings.json': JSON.stringify({
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    },
  }),
}

const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  version: '1.18.33',
  protocol: 'openai',
  install: fromNpm('opencode', 'opencode-ai@1.18.33'),
  features: ['text', 'stream', 'tools', 'image', 'errors'],
  loses_signatures: true,
  start({ prompt, picture }, { url, key, model }, { installed }) {
    const modalities = { input: ['text', 'image'], output: ['text'] }
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Tollgate',
      options: { baseURL: `${url}/v1`, apiKey: key },
      models: { [model]: { name: model, tool_call: true, attachment: true, modalities } },
    }
    return {
      command: [
        npmCommandOf(installed, 'opencode'),
        ...['run', '-m', `tollgate/${model}`, prompt],
        ...(picture ? ['-f', picture] : []),
      ],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
      files: {
        'opencode.json': JSON.stringify({
          provider: { tollgate: provider },
          permission: { bash: 'allow' },
          small_model: `tollgate/${model}`,
        }),
      },
    }
  },
}

const aider: Agent = {
  name: 'aider',
  title: 'aider',
  version: '0.86.2',
  protocol: 'openai',
  install: { by: 'pip', folder: 'aider', packages: ['aider-chat==0.86.2'] },
  features: ['text', 'stream', 'errors'],
  start: ({ prompt }, { url, key, model }, { installed }) => ({
    command: [
      join(installed, 'venv/bin/aider'),
      ...['--model', `openai/${model}`, '--openai-api-base', `${url}/v1`, '--openai-api-key', key],
      ...['--no-git', '--no-check-update', '--no-show-model-warnings', '--analytics-disable', '--no-pretty'],
      ...['--no-show-release-notes', '--yes-always', '--no-detect-urls', '--message', prompt],
    ],
  }),
}

/** An agent that calls tools. */
export interface ToolAgent {
  readonly client: Client
  readonly loses_signatures: boolean
  /** Has it do what a prompt says, to its end. */
  run(prompt: string, at: Connection, place: Place): Promise<Ended>
}

const clientOf = (agent: Agent): Client => ({
  ...agent,
  group: 'Agents',
  show: (feature, at, place) => SHOWS[feature](agent, at, place),
})

const ALL: readonly Agent[] = [claudeCode, codex, geminiCli, qwenCode, opencode, aider]

export const AGENTS: readonly Client[] = ALL.map(clientOf)
export const TOOL_AGENTS: readonly ToolAgent[] = ALL.filter(({ features }) => features.includes('tools')).map(
  (agent) => ({
    client: clientOf(agent),
    loses_signatures: agent.loses_signatures === true,
    run: (prompt, at, place) => run(agent, { prompt }, at, place),
  }),
)
