// The password hashes of a move-in: those that a sign-in can check come in, and the others give way to a link.
import { isImportedHash } from '../../../src/access/passwords.ts'
import type { LeftOut, MoveIn } from '../move-in.ts'

/** The move-in without hashes that nothing can be checked by. */
export function withUsableHashes(move_in: MoveIn): MoveIn {
  const left_out: LeftOut[] = []
  const accounts = move_in.accounts.map((account) => {
    if (account.password_hash === null || isImportedHash(account.password_hash)) return account
    const reason =
      'Its hash is not bcrypt with a cost of at most 12. The person gets a link if they have an email address.'
    left_out.push({ kind: 'passwords', row: account.source_id, reason })
    return { ...account, password_hash: null }
  })
  return { ...move_in, accounts, left_out: [...move_in.left_out, ...left_out] }
}
