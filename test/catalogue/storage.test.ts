// The section [storage]: valid settings and mistakes; it is read alone, whatever mistakes other sections have.
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { storageIn } from '../../src/catalogue/storage.ts'
import { secretsOf } from '../../src/observe/redact.ts'
import { temporary } from '../support/temporary.ts'
import { CATALOGUE, catalogueOf, mistakesOf } from './catalogues.ts'

const ADDRESS = 'postgres://tollgate:p%40ss@db.internal/tollgate?sslmode=verify-full'
const with_ = (lines: string) => `${CATALOGUE}\n[storage]\n${lines}\n`

const storageOf = (text: string, env: Record<string, string> = {}) => catalogueOf(text, env).storage

describe('the database', () => {
  test('is a file of SQLite by default', () => {
    expect(storageOf(CATALOGUE)).toMatchObject({ database: undefined })
  })

  test.each([
    ['the address itself', `database = "${ADDRESS}"`],
    ['a variable', 'database = "env:DATABASE_URL"'],
  ])('%s', (_, line) => {
    expect(storageOf(with_(line), { DATABASE_URL: ADDRESS })).toMatchObject({ database: ADDRESS })
  })

  test('the address and its password are kept out of the log', () => {
    const [hidden] = secretsOf(catalogueOf(with_(`database = "${ADDRESS}"`)))
    expect(hidden).toEqual(expect.arrayContaining([ADDRESS, 'p%40ss', 'p@ss']))
  })
})

const REFUSED: readonly (readonly [lines: string, message: RegExp])[] = [
  ['database = "env:NOT_SET"', /needs the environment variable NOT_SET, which is not set/],
  ['database = "mysql://db.internal/tollgate"', /must be the address of a PostgreSQL database/],
  ['database = "postgres://db.internal"', /must be the address of a PostgreSQL database/],
  ['database = "postgres://user:%zz@db.internal/tollgate"', /must be the address of a PostgreSQL database/],
  ['database = "$DATABASE_URL"', /would be the secret itself: write "env:DATABASE_URL"/],
  ['database = ""', /must be text in quotes|must not be empty|must be/],
  ['databse = "env:DATABASE_URL"', /unknown field; did you mean "database"\?/],
]

describe('a mistake', () => {
  test.each(REFUSED)('%s', (lines, message) => {
    expect(mistakesOf(with_(lines)).join()).toMatch(message)
  })
})

describe('the section alone', () => {
  const reading = async (text: string | undefined) => {
    using folder = temporary()
    const path = folder.at('tollgate.toml')
    if (text !== undefined) await writeFile(path, text)
    return await storageIn(path, { DATABASE_URL: ADDRESS })
  }

  test.each([
    ['no file', undefined],
    ['no section', CATALOGUE],
    ['a comment', '# [storage]\n# database = "env:DATABASE_URL"'],
  ])('%s: a file of SQLite', async (_, text) => {
    expect(await reading(text)).toMatchObject({ database: undefined })
  })

  test('is read beside mistakes', async () => {
    const text = 'what = "no such field"\n[storage]\ndatabase = "env:DATABASE_URL"\n[server]\nlisten = 8'
    expect(await reading(text)).toMatchObject({ database: ADDRESS })
  })

  test.each([
    ['a text that is not TOML', '[storage\ndatabase', /is not TOML/],
    ...REFUSED.map(([lines, message]) => [lines, `[storage]\n${lines}`, message] as const),
  ] as const)('%s is refused, because rows would go into another database', async (_, text, message) => {
    await expect(reading(text)).rejects.toThrow(message)
  })
})
