// Every prepared query of the project: PostgreSQL accepts it as it is written for SQLite.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob, SQL } from 'bun'
import { SETTINGS } from '../../../src/store/engines/postgres/connection.ts'
import { ormOver } from '../../../src/store/engines/postgres/orm.ts'
import { textOf } from '../../../src/store/engines/postgres/texts.ts'
import { loaded_builders } from '../../../src/store/prepared.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const ROOT = join(import.meta.dir, '../../..')

interface Query {
  name: string
  text: string
}

/** Builds all queries without a database. */
async function allQueries(): Promise<Query[]> {
  const files = [...new Glob('{src,plugins}/**/*.ts').scanSync(ROOT)].filter(
    (file) =>
      file !== 'src/store/prepared.ts' &&
      /perConnection\(|perAccount\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  for (const file of files.sort()) await import(join(ROOT, file))
  const orm = ormOver(async () => [])
  return loaded_builders.flatMap((builders) =>
    Object.entries(builders).map(([name, build]) => {
      const { sql } = (build(orm).prepare() as { getQuery(): { sql: string } }).getQuery()
      return { name, text: textOf(sql) }
    }),
  )
}

const { url } = await databaseOfFile()

describe.if(hasPostgres)('PostgreSQL', () => {
  test('accepts every prepared query', async () => {
    const queries = await allQueries()
    await using sql = new SQL({ url, max: 1, connection: SETTINGS })
    const refused: string[] = []
    for (const [at, { name, text }] of queries.entries())
      await sql.unsafe(`PREPARE q${at} AS ${text}`).catch((failure: Error) => {
        refused.push(`${name}: ${failure.message}: ${text}`)
      })
    expect(refused).toEqual([])
    expect(queries.length).toBeGreaterThan(250)
  })

  test('refuses syntax that only SQLite knows', async () => {
    await using sql = new SQL({ url, max: 1, connection: SETTINGS })
    const refusal = sql.unsafe(`PREPARE q AS ${textOf('select "id" from "accounts" where "id" IS ?')}`)
    await expect(refusal.execute()).rejects.toThrow('syntax error')
  })
})
