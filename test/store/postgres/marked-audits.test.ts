// Audits at the start of several gateways over one database: one reads all rows, and the next begins at its mark.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { copyAll } from '../../../src/store/copying/copy-all.ts'
import { postgresTarget } from '../../../src/store/engines/postgres/copy-target.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { makeEmptyDatabase } from '../../support/empty-database.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'
import { fillHistory } from '../../tools/bench/many-calls.ts'

async function audited(folder: string) {
  const ran = Bun.spawn([...commandOf('gateway'), 'audit-at-start', '--json', '--data', folder], {
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([ran.stdout.text(), ran.stderr.text()])
  return JSON.parse(output || errors)
}

test.if(hasPostgres)(
  'of two audits at once one reads all rows, and the other begins at its mark',
  async () => {
    using folder = temporary()
    const { name, url } = await makeDatabase()
    const path = folder.at('history.db')
    makeEmptyDatabase(path)
    fillHistory(path, { calls: 60, accounts: 3, days: 2 })
    using history = openDatabase(path)
    await using db = await openPostgres(url)
    await copyAll(dbOver(history), postgresTarget(db))
    writeFileSync(folder.at('tollgate.toml'), `[storage]\ndatabase = "${url}"\n`)
    const [one, other] = await Promise.all([audited(folder.path), audited(folder.path)])
    expect([one.clean, other.clean]).toEqual([true, true])
    const began = [one.from, other.from].filter((from) => from !== null)
    expect(began).toEqual([
      { call_id: expect.any(Number), whole_at_ms: expect.any(Number), whole_at: expect.any(String) },
    ])
    // The audit from a mark checks the database itself, too, which is quick on a server.
    const { rules } = one.from ? one : other
    expect(rules.map(({ invariant }: { invariant: string }) => invariant)).toContain('database_is_whole')
    await db.close()
    await dropDatabase(name)
  },
  120_000,
)
