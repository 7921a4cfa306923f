// Password hashes of a move-in: usable ones are imported; people with another one get a link.
import { isImportedHash } from '../../../src/access/passwords.ts'
import type { LeftOut, MoveIn } from '../move-in.ts'

/** The initial password of the account `root`: https://github.com/songquanpeng/one-api, README. */
const DEFAULT_PASSWORD = '123456'

/** Removes hashes that no sign-in can check, and the hash of `root` if it is of the default password. */
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
