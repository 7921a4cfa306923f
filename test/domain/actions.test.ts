// Fields of the audit log that an account may read about actions on it.
import { expect, test } from 'bun:test'
import { isForAccounts } from '../../src/domain/actions.ts'

test.each([
  ['key.changed', 'name', true],
  ['account.changed', 'note', false],
  ['account.changed', 'status', true],
  ['operator_link.created', 'role', false],
  ['setting.changed', 'value', false],
  ['of.a_newer_version', 'text', false],
  ['toString', 'text', false],
])('%s, %s: the account may read it: %j', (action, field, expected) => {
  expect(isForAccounts(action, field)).toBe(expected)
})
