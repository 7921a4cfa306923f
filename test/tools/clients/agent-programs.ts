// Coding agents as their users start them without a terminal: the flags, environment and files of each.
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Installation, Place } from './client.ts'
import type { Connection, Feature } from './feature.ts'
import { npmCommandOf } from './install.ts'
import { PNG_BASE64, SCHEMA } from './material.ts'

/** One run of an agent. */
export interface Task {
  readonly prompt: string
  /** The name of a picture in the working directory. */
  readonly picture?: string
  /** The answer must match SCHEMA. */
  readonly structured?: boolean
}

interface Started {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files of the working directory, which is its home too. */
  readonly files?: Readonly<Record<string, string>>
  readonly stdin?: string
}

export interface Agent {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly protocol: BuiltInProtocol
  readonly install: Installation
  readonly features: readonly Feature[]
  readonly over_websocket?: boolean
  /** It sends calls back without their signatures: providers get back only visible thinking. */
  readonly loses_signatures?: boolean
  start(task: Task, at: Connection, place: Place): Started
}

export const PICTURE = 'picture.png'

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
  version: '0.171.0',
  protocol: 'openai',
  install: fromNpm('codex', '@openai/codex@0.171.0'),
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
    const full_prompt = picture ? `${prompt} @${picture}` : prompt
    return {
      command: [npmCommandOf(installed, 'gemini'), '-m', model, '--yolo', '--skip-trust', '-p', full_prompt],
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

const cline: Agent = {
  name: 'cline',
  title: 'Cline',
  version: '3.0.65',
  protocol: 'openai',
  install: fromNpm('cline', 'cline@3.0.65'),
  features: ['text', 'stream', 'tools', 'errors'],
  loses_signatures: true,
  start({ prompt }, { url, key, model }, { installed }) {
    const settings = { provider: 'openai-compatible', apiKey: key, model, baseUrl: `${url}/v1` }
    const provider = { settings, updatedAt: new Date().toISOString(), tokenSource: 'manual' }
    return {
      command: [npmCommandOf(installed, 'cline'), '--auto-approve', 'true', prompt],
      files: {
        '.cline/data/settings/providers.json': JSON.stringify({
          version: 1,
          lastUsedProvider: 'openai-compatible',
          providers: { 'openai-compatible': provider },
        }),
      },
    }
  },
}

/** It needs Node.js 22.19; on Bun it runs anywhere. */
const pi: Agent = {
  name: 'pi',
  title: 'pi',
  version: '1.6.0',
  protocol: 'anthropic',
  install: fromNpm('pi', '@earendil-works/pi-coding-agent@1.6.0'),
  features: ['text', 'stream', 'tools', 'image', 'errors'],
  start({ prompt, picture }, { url, key, model }, { installed }) {
    // Current Claude models refuse a budget of thinking, which pi sends to unknown models.
    const compat = { forceAdaptiveThinking: true }
    const models = [{ id: model, reasoning: true, input: ['text', 'image'], compat }]
    const tollgate = { baseUrl: url, api: 'anthropic-messages', apiKey: key, models }
    return {
      command: [
        ...[process.execPath, npmCommandOf(installed, 'pi'), '-p', '--no-session'],
        ...['--provider', 'tollgate', '--model', model, ...(picture ? [`@${picture}`] : []), prompt],
      ],
      env: { PI_OFFLINE: '1' },
      files: { '.pi/agent/models.json': JSON.stringify({ providers: { tollgate } }) },
    }
  },
}

export const AGENT_PROGRAMS: readonly Agent[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  opencode,
  aider,
  cline,
  pi,
]
