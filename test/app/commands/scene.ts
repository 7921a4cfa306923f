// The scene of a command's test: a data folder of its own, and commands run in this process.
import { afterAll, afterEach, beforeEach } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plugins } from '../../../plugins/index.ts'
import { run } from '../../../src/app/commands/program.ts'
import { checksOf, commandsOf, tablesOf } from '../../../src/app/plugins.ts'
import { simulatorOf } from '../../../src/app/process/simulator.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import type { Fetch } from '../../../src/upstream/transport.ts'
import { makeEmptyDatabase } from '../../support/empty-database.ts'

/** Noon, in the time zone that the tests run in. */
export const NOW = new Date(2026, 10, 21, 12).getTime()

interface Ran {
  status: number
  out: string
  err: string
}

export interface Scene extends Disposable {
  dir: string
  path(name: string): string
  /** The clock; a test may set it. */
  now_ms: number
  env: Record<string, string | undefined>
  /** The connection to providers. */
  network: Fetch
  /** The width of the terminal; undefined: no terminal. */
  columns: number | undefined
  /** The person at the terminal, who answers questions; undefined: nobody. */
  ask: ((question: string) => Promise<string>) | undefined
  /** Runs a command on this folder. */
  run(...args: string[]): Promise<Ran>
  /** Runs a command that must be refused, with status 1 and without output. @returns its standard error */
  refusal(...args: string[]): Promise<string>
  /** Runs a command that must succeed. @returns its --json output */
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
  json(...args: string[]): Promise<any>
  remove(): void
}

/**
 * @param holds `nothing`: an empty data folder; `database`: one with an empty database and the first catalogue
 * @param dir the folder; absent: a new one
 */
export function createScene(
  holds: 'nothing' | 'database' = 'database',
  dir = mkdtempSync(join(tmpdir(), 'tollgate-cli-')),
): Scene {
  const path = (name: string) => join(dir, name)
  if (holds === 'database') {
    makeEmptyDatabase(path('tollgate.db'))
    writeFileSync(path('tollgate.toml'), FIRST_CATALOGUE)
  }
  let keys_made = 0
  const scene: Scene = {
    dir,
    path,
    now_ms: NOW,
    env: {},
    network: fetch,
    columns: undefined,
    ask: undefined,
    async run(...args) {
      const out: string[] = []
      const err: string[] = []
      const status = await run([...args, '--data', dir], {
        terminal: {
          out: (text) => void out.push(text),
          err: (text) => void err.push(text),
          columns: scene.columns,
          ask: scene.ask,
        },
        env: scene.env,
        now: () => scene.now_ms,
        randomBytes: (length) => new Uint8Array(length).fill(++keys_made),
        network: scene.network,
        simulator: simulatorOf(plugins),
        commands: commandsOf(plugins),
        tables: () => tablesOf(plugins),
        checks: checksOf(plugins),
        startGateway: () => Promise.reject(new Error('not in this test')),
      })
      return { status, out: out.join('\n'), err: err.join('\n') }
    },
    async refusal(...args) {
      const { status, out, err } = await scene.run(...args)
      if (status !== 1 || out !== '') throw new Error(`tollgate ${args.join(' ')}: ${status} ${out}${err}`)
      return err
    },
    async json(...args) {
      const { status, out, err } = await scene.run(...args, '--json')
      if (status !== 0) throw new Error(`tollgate ${args.join(' ')}: ${err}`)
      return JSON.parse(out)
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
    [Symbol.dispose]: () => scene.remove(),
  }
  return scene
}

/** A scene that all tests of the file, or of a `describe`, share. */
export function sceneOfFile(): Scene {
  const shared = createScene()
  afterAll(() => shared.remove())
  return shared
}

/** A new scene for each test of the file. @param prepare runs before each test */
export function sceneOfEachTest(
  prepare: (scene: Scene) => unknown = () => undefined,
  holds?: Parameters<typeof createScene>[0],
): Scene {
  let own: Scene
  beforeEach(async () => {
    own = createScene(holds)
    await prepare(own)
  })
  afterEach(() => own.remove())
  return new Proxy({} as Scene, {
    get: (_, name) => Reflect.get(own, name),
    set: (_, name, value) => Reflect.set(own, name, value),
  })
}
