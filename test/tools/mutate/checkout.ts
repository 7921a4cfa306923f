// A copy of the checkout to break: its types and tests are run there, each command with a time after which it is ended.
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
import { broken } from './mutants.ts'

export const ROOT = join(import.meta.dir, '../../..')
const COPIED = ['src', 'plugins', 'test', 'data', 'package.json', 'tsconfig.json', 'bunfig.toml', 'README.md']
const TYPES_MS = 300_000

export type Outcome = 'passed' | 'failed' | 'timed out'

export interface Tested {
  outcome: Outcome
  /** The tests that failed, by their names: a test that has nothing to do with the broken line shows nothing. */
  failed: readonly string[]
}

/** A test that waits for ever shows a broken line only where it waits for what that line does: nobody can tell. */
const TIMED_OUT = /timed out (?:after \d+|before )|within \d+ ms|Timeout \d+ms exceeded/

const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/gm

export interface Checkout extends Disposable {
  /** Breaks a line until what is returned is disposed of. */
  break(mutant: Chosen): Disposable
  /** Whether the compiler finds nothing. */
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

  /** Ends the command with all that it started, when its time is over. */
  async function run(
    words: readonly string[],
    limit_ms: number,
  ): Promise<{ outcome: Outcome; said: string }> {
    const child = Bun.spawn([process.execPath, ...words], {
      cwd: path,
      env: { ...process.env, TMPDIR: join(path, 'temporary') },
      stdin: 'ignore',
      stdout: Bun.file(join(path, 'said.log')),
      stderr: Bun.file(join(path, 'complained.log')),
      detached: true,
    })
    let is_over = false
    const timer = setTimeout(() => {
      is_over = true
      process.kill(-child.pid, 'SIGKILL')
    }, limit_ms)
    const status = await child.exited
    clearTimeout(timer)
    const said = ['said.log', 'complained.log'].map((name) => readFileSync(join(path, name), 'utf8')).join('')
    return { outcome: is_over ? 'timed out' : status === 0 ? 'passed' : 'failed', said }
  }

  return {
    break(mutant) {
      const file = join(path, mutant.file)
      const source = readFileSync(file, 'utf8')
      writeFileSync(file, broken(source, mutant))
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
        // What a line that is left out no longer uses is no mistake of its type.
        '--noUnusedLocals',
        'false',
        '--noUnusedParameters',
        'false',
      ]
      return (await run(words, TYPES_MS)).outcome === 'passed'
    },
    async test(folders, limit_ms) {
      const how = ['--timeout', '60000', '--bail', '--parallel=3', '--no-isolate']
      const { outcome, said } = await run(['test', ...how, ...folders], limit_ms)
      const failed = [...new Set([...said.matchAll(FAILED)].map(([, name = '']) => name))]
      return { outcome: outcome === 'failed' && TIMED_OUT.test(said) ? 'timed out' : outcome, failed }
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
