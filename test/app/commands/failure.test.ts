// The messages of failed commands: what happened, and what to do.
import { Database, SQLiteError } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { explain } from '../../../src/app/command-line/failure.ts'
import { internal, notFound } from '../../../src/domain/errors.ts'
import { createScene } from './scene.ts'

const thrownBy = (act: () => void): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('it did not throw')
}

describe('the message for', () => {
  test('a database locked by another process says to try again', () => {
    using scene = createScene()
    const one = new Database(scene.path('tollgate.db'))
    const other = new Database(scene.path('tollgate.db'))
    other.run('PRAGMA busy_timeout = 0')
    one.run('BEGIN IMMEDIATE')
    const error = thrownBy(() => other.run('BEGIN IMMEDIATE'))
    expect(error).toBeInstanceOf(SQLiteError)
    expect(explain(error)).toStartWith('The database is locked by another process. Try again')
    one.close()
    other.close()
  })

  test("an unexpected constraint has SQLite's words", () => {
    const db = new Database(':memory:')
    db.run('CREATE TABLE t (x INTEGER CHECK (x > 0))')
    expect(explain(thrownBy(() => db.run('INSERT INTO t VALUES (0)')))).toContain('CHECK constraint failed')
  })

  test('a file names its path and the reason', () => {
    using scene = createScene('nothing')
    mkdirSync(scene.path('sub'))
    expect(explain(thrownBy(() => mkdirSync(scene.path('sub'))))).toBe(
      `${scene.path('sub')}: it already exists.`,
    )
  })

  test('a full disk says what to do, also where the failure has no path', () => {
    const full = openSync('/dev/full', 'w')
    expect(explain(thrownBy(() => writeSync(full, 'x')))).toMatch(
      /^The disk is full: free some space, or name a place on another disk, and try again\. \(ENOSPC/,
    )
    closeSync(full)
  })

  test('an error of the gateway includes its cause, which callers do not see', () => {
    expect(explain(notFound('There is none.'))).toBe('There is none.')
    expect(explain(internal('It failed.', { cause: new Error('SQLITE_FULL') }))).toBe(
      'It failed. (SQLITE_FULL)',
    )
    expect(explain(internal('It failed.', { cause: 'SQLITE_FULL' }))).toBe('It failed. (SQLITE_FULL)')
  })

  test('any other thrown value is its text', () => {
    expect(explain(new Error('plain'))).toBe('plain')
    expect(explain('text')).toBe('text')
  })
})
