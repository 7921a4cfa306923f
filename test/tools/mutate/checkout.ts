// A copy of the checkout to break: its types and tests run there, each command with a time limit.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chosen } from './chosen.ts'
import { withMutant } from './mutants.ts'

export const ROOT = join(import.meta.dir, '../../..')
const COPIED = ['src', 'plugins', 'test', 'data', 'package.json', 'tsconfig.json', 'bunfig.toml', 'README.md']
const TYPES_MS = 300_000

export type Outcome = 'passed' | 'failed' | 'timed out'

export interface Tested {
  outcome: Outcome
  /** The names of the failed tests, which show whether they are related to the broken line. */
  failed: readonly string[]
}

/** Messages of time-outs, which do not count as detection: the test may wait for something unrelated to the broken line. */
const TIMED_OUT = /timed out (?:after \d+|before )|within \d+ ms|Timeout \d+ms exceeded/

const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/gm

export interface Checkout extends Disposable {
  /** Breaks a line until the returned object is disposed of. */
  break(mutant: Chosen): Disposable
  /** Whether the compiler finds no mistakes. */
  typesAllow(): Promise<boolean>
  test(folders: readonly string[], limit_ms: number): Promise<Tested>
}

export function checkout(): Checkout {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-mutate-'))
  // Tests that act as another user read it, too.
  chmodSync(path, 0o755)
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(path, name), {
      recursive: true,
      filter: (file) => !/\.db(-\w+)?$/.test(file),
    })
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  mkdirSync(join(path, 'temporary'))

  /** Runs a command, and kills it and all that it started at the time limit. */
  async function run(
    words: readonly string[],
    limit_ms: number,
  ): Promise<{ outcome: Outcome; output: string }> {
    const child = Bun.spawn([process.execPath, ...words], {
      cwd: path,
      env: { ...process.env, TMPDIR: join(path, 'temporary') },
      stdin: 'ignore',
      stdout: Bun.file(join(path, 'output.log')),
      stderr: Bun.file(join(path, 'errors.log')),
      detached: true,
    })
    let is_over = false
    const timer = setTimeout(() => {
      is_over = true
      process.kill(-child.pid, 'SIGKILL')
    }, limit_ms)
    const status = await child.exited
    clearTimeout(timer)
    const output = ['output.log', 'errors.log'].map((name) => readFileSync(join(path, name), 'utf8')).join('')
    return { outcome: is_over ? 'timed out' : status === 0 ? 'passed' : 'failed', output }
  }

  return {
    break(mutant) {
      const file = join(path, mutant.file)
      const source = readFileSync(file, 'utf8')
      writeFileSync(file, withMutant(source, mutant))
      return { [Symbol.dispose]: () => writeFileSync(file, source) }
    },
    async typesAllow() {
      const words = [
        'x',
        '--no-install',
        'tsc',
        '--noEmit',
        '--incremental',
        '--tsBuildInfoFile',
        'types.json',
        // A name that is unused because a line was left out is no mistake of types.
        '--noUnusedLocals',
        'false',
        '--noUnusedParameters',
        'false',
      ]
      return (await run(words, TYPES_MS)).outcome === 'passed'
    },
    async test(folders, limit_ms) {
      const options = ['--timeout', '60000', '--bail', '--parallel=3', '--no-isolate']
      const { outcome, output } = await run(['test', ...options, ...folders], limit_ms)
      const failed = [...new Set([...output.matchAll(FAILED)].map(([, name = '']) => name))]
      return { outcome: outcome === 'failed' && TIMED_OUT.test(output) ? 'timed out' : outcome, failed }
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
