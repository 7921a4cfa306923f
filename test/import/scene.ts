// Imports into a data folder from a test's own source, by the real command but for the source.

import type { ImportPoint } from '../../plugins/import/apply/import-run.ts'
import type { OpenSource } from '../../plugins/import/move-in.ts'
import { runImport } from '../../plugins/import/run.ts'
import { plugins } from '../../plugins/index.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import type { AddCommand } from '../../src/app/command-line/terminal.ts'
import { run } from '../../src/app/commands/program.ts'
import { checksOf, commandsOf, tablesOf } from '../../src/app/plugins.ts'
import { simulatorOf } from '../../src/app/process/simulator.ts'

interface FakeImport {
  dir: string
  source: OpenSource
  args?: readonly string[]
  name?: string
  opening_balance_nanos?: number
  env?: Record<string, string | undefined>
  now_ms?: number
  columns?: number
  probe?: (point: ImportPoint) => void
}

interface ImportResult {
  status: number
  out: string
  err: string
}

/** Noon of the day on which tests import. */
export const NOW = Date.UTC(2026, 10, 29, 12)

/** Runs `tollgate import` from a source, or with `args` another command. */
export async function importFrom(fake: FakeImport): Promise<ImportResult> {
  const out: string[] = []
  const err: string[] = []
  const addFake: AddCommand = (program, deps) =>
    void program
      .command('import-fake')
      .option('--apply')
      .action(async ({ apply = false }: { apply?: boolean }, command) =>
        runImport(
          fake.source,
          {
            name: fake.name ?? 'new-api',
            apply,
            opening_balance_nanos: fake.opening_balance_nanos,
            database: 'a test',
          },
          {
            deps,
            context: contextOf(command, deps),
            probe: fake.probe ?? (() => {}),
          },
        ),
      )
  const { args = ['import-fake', '--apply'] } = fake
  const status = await run([...args, '--data', fake.dir], {
    terminal: {
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      columns: fake.columns,
    },
    env: fake.env ?? {},
    now: () => fake.now_ms ?? NOW,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    network: fetch,
    simulator: simulatorOf(plugins),
    commands: { ...commandsOf(plugins), 'import-fake': async () => addFake },
    tables: () => tablesOf(plugins),
    checks: checksOf(plugins),
    startGateway: () => Promise.reject(new Error('not in this test')),
  })
  return { status, out: out.join('\n'), err: err.join('\n') }
}
