// Codex without a terminal, over a WebSocket or by POST alone: the same in all but that.
import { TOOL_AGENTS } from '../agents.ts'
import type { Client, Place } from '../client.ts'
import type { Connection } from '../feature.ts'
import { npmCommandOf } from '../install.ts'
import { type Ended, startProgram } from '../process.ts'

export const TRANSPORTS = ['POST', 'WebSocket'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** Codex, under way. */
export interface Running {
  /** What Ctrl+C does in a terminal. */
  interrupt(): void
  /** @throws Error where it takes too long */
  ended(): Promise<Ended>
}

/** The client as its other runs install it. */
export function codexClient(): Client {
  const found = TOOL_AGENTS.find(({ client }) => client.name === 'codex')
  if (!found) throw new Error('Codex is not among the agents')
  return found.client
}

const TIMEOUT_MS = 90_000
const FLAGS = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

export function startCodex(
  prompt: string,
  transport: Transport,
  { url, key, model }: Connection,
  { installed, work }: Place,
): Running {
  const provider = `{name="Tollgate",base_url="${url}/v1",env_key="CODEX_API_KEY",wire_api="responses",supports_websockets=${transport === 'WebSocket'}}`
  const settings = ['-c', 'model_provider="tollgate"', '-c', `model_providers.tollgate=${provider}`]
  const command = [npmCommandOf(installed, 'codex'), ...FLAGS, ...settings, '-m', model, '--', prompt]
  const env = { CODEX_API_KEY: key, CODEX_HOME: work, CI: '1', NO_COLOR: '1', TERM: 'dumb' }
  const program = startProgram(command, { cwd: work, env, stdin: Buffer.from('') })
  const timer = setTimeout(() => program.end(), TIMEOUT_MS)
  const printed = Promise.all([new Response(program.stdout).text(), new Response(program.stderr).text()])
  return {
    interrupt: () => void process.kill(-program.pid, 'SIGINT'),
    async ended() {
      const [stdout, stderr] = await printed
      const status = await program.exited
      clearTimeout(timer)
      program.end()
      if (program.signalCode === 'SIGKILL') throw new Error(`Codex took over ${TIMEOUT_MS / 1_000} s`)
      return { status, stdout, stderr }
    },
  }
}
