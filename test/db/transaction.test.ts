// Immediate transactions: they take the write lock at their start, and leave nothing where their work throws.

import { expect, test } from 'bun:test'
import { createAccount, listAccounts } from '../../src/access/accounts.ts'
import { openDatabase } from '../../src/db/open.ts'
import { immediately } from '../../src/db/transaction.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()

test('the write lock is held before the first statement', () => {
  const [one, other] = [openDatabase(folder.at('a.db')), openDatabase(folder.at('a.db'))]
  other.run('PRAGMA busy_timeout = 0')
  immediately(one, () => expect(() => immediately(other, () => {})).toThrow('database is locked'))
  expect(immediately(other, () => 7)).toBe(7)
  one.close()
  other.close()
})

test('prepared queries take part in it: work that throws leaves nothing, also where it is nested', () => {
  const db = memoryDatabase()
  const failing = () =>
    immediately(db, () => {
      createAccount(db, { name: 'one', now_ms: 0 })
      throw new Error('stop')
    })
  expect(failing).toThrow('stop')
  expect(listAccounts(db)).toEqual([])
  immediately(db, () => {
    createAccount(db, { name: 'two', now_ms: 0 })
    expect(failing).toThrow('stop')
  })
  expect(listAccounts(db).map(({ name }) => name)).toEqual(['two'])
})
