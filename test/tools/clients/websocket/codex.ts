// Codex without a terminal, by POST, by POST with compressed bodies, or over a WebSocket, and otherwise the same.
import { join } from 'node:path'
import { TOOL_AGENTS } from '../agents.ts'
import type { Client, Place } from '../client.ts'
import type { Connection } from '../feature.ts'
import { npmCommandOf } from '../install.ts'
import { type ProgramResult, startProgram } from '../process.ts'

export const TRANSPORTS = ['POST', 'POST in zstd', 'WebSocket'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** A run of Codex. */
export interface Running {
  /** Interrupts it as Ctrl+C does in a terminal. */
  interrupt(): void
  /** @throws Error if it takes too long */
  ended(): Promise<ProgramResult>
}

/** The client as its other runs install it. */
export function codexClient(): Client {
  const found = TOOL_AGENTS.find(({ client }) => client.name === 'codex')
  if (!found) throw new Error('Codex is not among the agents')
  return found.client
}

const TIMEOUT_MS = 90_000
const FLAGS = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

/** The line that Codex logs for each body that it compresses. */
export const COMPRESSED = 'Compressed request body with zstd'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A sign-in with ChatGPT whose access token is the gateway's key, since Codex compresses only for "OpenAI" with such a sign-in. */
function signInFor(key: string): string {
  const claims = {
    'https://api.openai.com/auth': { chatgpt_account_id: 'account', chatgpt_plan_type: 'plus' },
  }
  const tokens = {
    id_token: [part({ alg: 'none' }), part(claims), part('unsigned')].join('.'),
    access_token: key,
    refresh_token: 'unused',
    account_id: 'account',
  }
  return JSON.stringify({ auth_mode: 'chatgpt', tokens, last_refresh: new Date().toISOString() })
}

export async function startCodex(
  prompt: string,
  transport: Transport,
  { url, key, model }: Connection,
  { installed, work }: Place,
): Promise<Running> {
  const provider = `{name="OpenAI",base_url="${url}/v1",wire_api="responses",requires_openai_auth=true,supports_websockets=${transport === 'WebSocket'}}`
  const settings = [
    'model_provider="tollgate"',
    `model_providers.tollgate=${provider}`,
    `chatgpt_base_url="${url}/backend-api"`,
    `features.enable_request_compression=${transport === 'POST in zstd'}`,
  ].flatMap((setting) => ['-c', setting])
  const command = [npmCommandOf(installed, 'codex'), ...FLAGS, ...settings, '-m', model, '--', prompt]
  const env = {
    CODEX_HOME: work,
    RUST_LOG: 'codex_http_client::request=debug',
    CI: '1',
    NO_COLOR: '1',
    TERM: 'dumb',
  }
  await Bun.write(join(work, 'auth.json'), signInFor(key))
  const program = startProgram(command, { cwd: work, env, stdin: Buffer.from('') })
  const timer = setTimeout(() => program.end(), TIMEOUT_MS)
  const output = Promise.all([new Response(program.stdout).text(), new Response(program.stderr).text()])
  return {
    interrupt: () => void process.kill(-program.pid, 'SIGINT'),
    async ended() {
      const [stdout, stderr] = await output
      const status = await program.exited
      clearTimeout(timer)
      program.end()
      if (program.signalCode === 'SIGKILL') throw new Error(`Codex took over ${TIMEOUT_MS / 1_000} s`)
      return { status, stdout, stderr }
    },
  }
}
