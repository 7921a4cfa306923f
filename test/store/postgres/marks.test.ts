// Marks of transactions: each is found, even if its connection has taken another name since, and a row has few versions.
import { describe, expect, test } from 'bun:test'
import { markOf, wasCommitted } from '../../../src/store/engines/postgres/commit-mark.ts'
import { type CommitMark, Connection, MAX_MARKS } from '../../../src/store/engines/postgres/connection.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('marks of one connection', () => {
  test('a name has a limited number of marks, and each of them is found', async () => {
    const connection = await Connection.open(url)
    const marks: CommitMark[] = []
    for (let nth = 0; nth <= 2 * MAX_MARKS; nth++) {
      const marked = connection.nextMark()
      const { text, values } = markOf(marked)
      await connection.ask(text, values)
      marks.push(marked)
    }
    expect(new Set(marks.map(({ writer }) => writer)).size).toBe(3)
    expect(marks.map(({ number }) => number)).toEqual(marks.map((_, nth) => nth + 1))
    const looked = [0, MAX_MARKS - 1, MAX_MARKS, 2 * MAX_MARKS]
    for (const nth of looked) expect(await wasCommitted(marks[nth] as CommitMark, connection)).toBe(true)
    expect(await db.rows('SELECT number FROM commits ORDER BY number')).toEqual(
      [1_000, 2_000, 2_001].map((number) => ({ number })),
    )
    await connection.close()
  }, 60_000)

  test('a transaction whose mark is looked for before it is written is refused, and stays uncommitted', async () => {
    const [late, asking] = [await Connection.open(url), await Connection.open(url)]
    const before = late.nextMark()
    await late.askAll([{ text: 'BEGIN' }, markOf(before), { text: 'COMMIT' }])
    expect(await wasCommitted(before, asking)).toBe(true)
    const marked = late.nextMark()
    await late.ask('BEGIN')
    expect(await wasCommitted(marked, asking)).toBe(false)
    await expect(late.askAll([markOf(marked), { text: 'COMMIT' }])).rejects.toMatchObject({ code: '22012' })
    expect(await wasCommitted(marked, asking)).toBe(false)
    await late.close()
    await asking.close()
  })

  test('the outcome of a transaction with a mark is unknown while it is under way: the lookup fails as busy', async () => {
    const late = await Connection.open(url)
    const asking = await Connection.open(url, { lock_timeout: '50ms' })
    const marked = late.nextMark()
    await late.askAll([{ text: 'BEGIN' }, markOf(marked)])
    await expect(wasCommitted(marked, asking)).rejects.toMatchObject({ trouble: 'busy' })
    await late.ask('COMMIT')
    expect(await wasCommitted(marked, asking)).toBe(true)
    const undone = late.nextMark()
    await late.askAll([{ text: 'BEGIN' }, markOf(undone)])
    await late.ask('ROLLBACK')
    expect(await wasCommitted(undone, asking)).toBe(false)
    await late.close()
    await asking.close()
  })
})
