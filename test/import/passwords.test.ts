// Passwords of an import: the source's default password of its root user is not imported.
import { expect, test } from 'bun:test'
import type { MoveIn } from '../../plugins/import/move-in.ts'
import { withUsableHashes } from '../../plugins/import/plan/passwords.ts'

const bcrypt = (password: string) => Bun.password.hashSync(password, { algorithm: 'bcrypt', cost: 4 })

test.each([
  ['root', '123456', false],
  ['root', 'another password', true],
  ['alice', 'another password', true],
])('%s with the password "%s": imported is %p', (name, password, is_imported) => {
  const move_in = {
    accounts: [{ source_id: '1', name, password_hash: bcrypt(password) }],
    left_out: [],
  } as unknown as MoveIn
  const { accounts, left_out } = withUsableHashes(move_in)
  expect(accounts[0]?.password_hash !== null).toBe(is_imported)
  expect(left_out).toHaveLength(is_imported ? 0 : 1)
})
