// Statements sent together: one wait for all answers, in their order, and nothing left of a transaction in which one failed.
import { afterAll, describe, expect, test } from 'bun:test'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { administrator, databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { startProxy } from '../../support/postgres-proxy.ts'

const { url, db } = await databaseOfFile()
let waits = 0
// All that the client sends without waiting is one message.
const proxy = await startProxy(url, (bytes) => {
  waits += 1
  return bytes
})

const ADD = "INSERT INTO catalogues (text, made_at_ms, made_by) VALUES ($1, 0, 'file') RETURNING text"
const BEGIN = { text: 'BEGIN' }
const COMMIT = { text: 'COMMIT' }
const add = (text: string) => ({ text: ADD, values: [text] })
const REFUSED = { text: 'SELECT 1 / $1::bigint', values: [0] }

describe.if(hasPostgres)('statements sent together', () => {
  afterAll(() => proxy[Symbol.asyncDispose]())

  const textsOf = async () =>
    (await db.rows<{ text: string }>('SELECT text FROM catalogues')).map(({ text }) => text)

  test('are answered in their order, after one wait, once they are prepared', async () => {
    const connection = await Connection.open(proxy.url)
    const all = ['a', 'b'].map((text) => ({ text: 'SELECT $1::text AS one', values: [text] }))
    await connection.askAll([BEGIN, ...all, COMMIT])
    waits = 0
    const answers = await connection.askAll([BEGIN, ...all, COMMIT])
    expect({ waits, rows: answers.map(({ rows }) => rows.flat()) }).toEqual({
      waits: 1,
      rows: [[], ['a'], ['b'], []],
    })
    expect(answers.map(({ command }) => command)).toEqual(['BEGIN', 'SELECT', 'SELECT', 'COMMIT'])
    await connection.close()
  })

  test('share a transaction, even if only some were prepared before', async () => {
    const connection = await Connection.open(url)
    await connection.askAll([BEGIN, COMMIT])
    const numbers = ['one', 'two'].map((name) => ({
      text: `SELECT pg_current_xact_id()::text || $1::text AS ${name}`,
      values: [''],
    }))
    const [, one, two] = await connection.askAll([BEGIN, ...numbers, COMMIT])
    expect(one?.rows).toEqual(two?.rows as never)
    await connection.close()
  })

  test('leave nothing of a transaction if one of them is refused; the connection stays usable', async () => {
    const connection = await Connection.open(url)
    for (const prepared of ['first', 'again']) {
      const sending = connection.askAll([BEGIN, add(prepared), REFUSED, add('later'), COMMIT])
      await expect(sending).rejects.toMatchObject({ name: 'StatementError', code: '22012' })
    }
    expect(connection.isLost).toBe(false)
    await connection.askAll([BEGIN, add('kept'), COMMIT])
    expect(await textsOf()).toEqual(['kept'])
    await connection.close()
  })

  test('fail when the connection is lost, and so do all later ones', async () => {
    const connection = await Connection.open(url)
    const [answer] = await connection.askAll([{ text: 'SELECT pg_backend_pid()' }])
    const { sql } = await administrator()
    const [slow] = await Promise.allSettled([
      connection.askAll([BEGIN, { text: 'SELECT pg_sleep($1::float8)', values: ['30'] }, COMMIT]),
      sql.unsafe('SELECT pg_terminate_backend($1, 5000)', [answer?.rows[0]?.[0]]),
    ])
    expect(slow).toMatchObject({ status: 'rejected', reason: { trouble: 'unreachable' } })
    expect(connection.isLost).toBe(true)
    await expect(connection.askAll([BEGIN])).rejects.toMatchObject({ trouble: 'unreachable' })
  })

  test('are not sent if one has a value that cannot be stored', async () => {
    const connection = await Connection.open(url)
    await expect(connection.askAll([BEGIN, { text: ADD, values: [Number.NaN] }])).rejects.toThrow(
      'cannot be stored',
    )
    const [state] = await connection.askAll([{ text: 'SELECT pg_current_xact_id_if_assigned()' }])
    expect(state?.rows).toEqual([[null]])
    await connection.close()
  })
})
