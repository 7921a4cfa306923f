// Binding of an account to its referrer: once, at its sign-up, and never to itself.
import type { RandomBytes } from '../../src/access/secret.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { mailboxOf } from '../sign-up/index.ts'
import { addressesOf, insertLink, insertReferral, isOpen, linkOf, referrerByCode } from './store.ts'

const CODE_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
/** 60 bits, which cannot be guessed. */
const CODE_CHARS = 12

/** Returns the code of an account's link, and creates it on the first call. */
export async function referralCodeOf(
  db: Db,
  account_id: number,
  { randomBytes, now_ms }: { randomBytes: RandomBytes; now_ms: number },
): Promise<string> {
  const found = await linkOf(db, account_id)
  if (found) return found.code
  const code = [...randomBytes(CODE_CHARS)].map((byte) => CODE_DIGITS[byte & 31]).join('')
  return await db.begin(async (tx) => {
    await tx.lock(account_id)
    await insertLink(tx, { account_id, code, created_at_ms: now_ms })
    return (await linkOf(tx, account_id))?.code ?? code
  })
}

interface ReferredSignUp {
  code: string
  account_id: number
  email: string
}

/** Binds a new account to its referrer, in the transaction that creates it. Ignores unknown links, links of closed accounts, and one’s own link. */
export async function bindReferral(
  tx: Tx,
  { code, account_id, email }: ReferredSignUp,
  now_ms: number,
): Promise<void> {
  const referrer_id = await referrerByCode(tx, code)
  if (referrer_id === undefined || !(await isOpen(tx, referrer_id))) return
  const own = mailboxOf(email)
  const theirs = await addressesOf(tx, referrer_id)
  if (theirs.some((address) => mailboxOf(address.toLowerCase()) === own)) return
  await insertReferral(tx, { account_id, referrer_id, created_at_ms: now_ms })
  await recordAction(tx, { action: 'account.referred', account_id, subject: String(referrer_id) })
}
