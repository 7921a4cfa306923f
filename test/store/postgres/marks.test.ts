// Marks of transactions: each is found by what wrote it, also where the connection has taken another name since, and versions of one row are few.
import { describe, expect, test } from 'bun:test'
import { markOf, wasCommitted } from '../../../src/store/engines/postgres/commit-mark.ts'
import { Connection, MARKS_OF_A_WRITER, type Marked } from '../../../src/store/engines/postgres/connection.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('marks of one connection', () => {
  test('a name is of so many, and each of them is found', async () => {
    const connection = await Connection.open(url)
    const marks: Marked[] = []
    for (let nth = 0; nth <= 2 * MARKS_OF_A_WRITER; nth++) {
      const [[id] = []] = (await connection.ask('SELECT pg_current_xact_id()::text')).rows
      const marked = connection.nextMark(String(id))
      const { text, values } = markOf(marked)
      await connection.ask(text, values)
      marks.push(marked)
    }
    expect(new Set(marks.map(({ writer }) => writer)).size).toBe(3)
    expect(marks.map(({ number }) => number)).toEqual(marks.map((_, nth) => nth + 1))
    const looked = [0, MARKS_OF_A_WRITER - 1, MARKS_OF_A_WRITER, 2 * MARKS_OF_A_WRITER]
    for (const nth of looked) expect(await wasCommitted(marks[nth] as Marked, connection)).toBe(true)
    const next = connection.nextMark(marks.at(-1)?.transaction_id ?? '')
    expect(await wasCommitted(next, connection)).toBe(false)
    expect(await db.rows('SELECT number FROM commits ORDER BY number')).toEqual(
      [1_000, 2_000, 2_001].map((number) => ({ number })),
    )
    await connection.close()
  }, 60_000)
})
