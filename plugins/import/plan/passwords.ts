// The password hashes of a move-in: those that a sign-in can check come in, and the others give way to a link.
import { isImportedHash } from '../../../src/access/passwords.ts'
import type { LeftOut, MoveIn } from '../move-in.ts'

/** Of the account `root` until its owner changes it: https://github.com/songquanpeng/one-api, README. */
const DEFAULT_PASSWORD = '123456'

/** The move-in without hashes that nothing can be checked by. */
export function withUsableHashes(move_in: MoveIn): MoveIn {
  const left_out: LeftOut[] = []
  const accounts = move_in.accounts.map((account) => {
    if (account.password_hash === null) return account
    const reason = whyUnusable(account.name, account.password_hash)
    if (reason === undefined) return account
    left_out.push({ kind: 'passwords', row: account.source_id, reason })
    return { ...account, password_hash: null }
  })
  return { ...move_in, accounts, left_out: [...move_in.left_out, ...left_out] }
}

function whyUnusable(name: string, hash: string): string | undefined {
  if (!isImportedHash(hash))
    return 'Its hash is not bcrypt with a cost of at most 12. The person gets a link if they have an email address.'
  if (name === 'root' && Bun.password.verifySync(DEFAULT_PASSWORD, hash))
    return 'It is the default password of the source. Set another one with a link: tollgate account invite NAME'
  return undefined
}
