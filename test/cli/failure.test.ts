// What a person is told when something that is not his doing fails: what happened, and what to do.
import { Database, SQLiteError } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { explain } from '../../src/cli/failure.ts'
import { internal, notFound } from '../../src/domain/errors.ts'
import { createWorld } from './world.ts'

const thrownBy = (act: () => void): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('it did not throw')
}

describe('explained', () => {
  test('a database that another process has locked', () => {
    const world = createWorld()
    const one = new Database(world.path('tollgate.db'))
    const other = new Database(world.path('tollgate.db'))
    other.run('PRAGMA busy_timeout = 0')
    one.run('BEGIN IMMEDIATE')
    const error = thrownBy(() => other.run('BEGIN IMMEDIATE'))
    expect(error).toBeInstanceOf(SQLiteError)
    expect(explain(error)).toStartWith('The database is locked by another process. Try again')
    one.close()
    other.close()
    world.remove()
  })

  test('a constraint, which nobody foresaw, keeps its own words', () => {
    const db = new Database(':memory:')
    db.run('CREATE TABLE t (x INTEGER CHECK (x > 0))')
    expect(explain(thrownBy(() => db.run('INSERT INTO t VALUES (0)')))).toContain('CHECK constraint failed')
  })

  test('a file, by its path and what to do', () => {
    const world = createWorld('nothing')
    mkdirSync(world.path('sub'))
    expect(explain(thrownBy(() => mkdirSync(world.path('sub'))))).toBe(
      `${world.path('sub')}: it exists already.`,
    )
    world.remove()
  })

  test('an error of the gateway, with the cause that callers do not see', () => {
    expect(explain(notFound('There is none.'))).toBe('There is none.')
    expect(explain(internal('It failed.', { cause: new Error('SQLITE_FULL') }))).toBe(
      'It failed. (SQLITE_FULL)',
    )
    expect(explain(internal('It failed.', { cause: 'SQLITE_FULL' }))).toBe('It failed. (SQLITE_FULL)')
  })

  test('whatever else is thrown', () => {
    expect(explain(new Error('plain'))).toBe('plain')
    expect(explain('text')).toBe('text')
  })
})
