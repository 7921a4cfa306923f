// Links with which imported people set their first password: one line each in a file of the data folder, for the operator to send.
import { existsSync, readFileSync } from 'node:fs'
import type { RandomBytes } from '../../../src/access/secret.ts'
import {
  INVITATION_DAYS,
  makeToken,
  type PreparedInvitation,
  storeInvitations,
} from '../../../src/access/sign-in-links.ts'
import { linkAt } from '../../../src/app/command-line/console-link.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { csvLine } from '../../../src/http/csv.ts'
import type { Db } from '../../../src/store/db.ts'
import type { IncomingAccount } from '../move-in.ts'
import { imported_rows } from '../tables.ts'
import { batchesOfStep, type ImportRun } from './import-run.ts'
import { replaceForOwner } from './secret-file.ts'

const LINKS_A_BATCH = 500

interface Invited {
  source_id: string
  account_id: number
  name: string
  email: string
}

interface LinkFile {
  path: string
  /** The console's address. */
  url: string
  randomBytes: RandomBytes
}

/**
 * Creates the missing links. The file is written first: if the process is killed before the rows are stored, the next run
 * stores the tokens of the file.
 * @returns the number of links @throws StorageFailure; the file system's error
 */
export async function applyLinks(
  db: Db,
  accounts: readonly IncomingAccount[],
  { path, url, randomBytes }: LinkFile,
  run: ImportRun,
): Promise<number> {
  const invited = await readUninvited(db, accounts, run.plan.source)
  if (invited.length === 0) return 0
  const text = existsSync(path)
    ? readFileSync(path, 'utf8')
    : csvLine(['account', 'email', 'link', 'expires'])
  const known = tokensIn(text)
  const expires_at_ms = run.now_ms + INVITATION_DAYS * DAY_MS
  const made = invited.map((person) => ({
    ...person,
    token: known.get(lineStartOf(person)) ?? makeToken(randomBytes),
    expires_at_ms,
  }))
  const lines = made
    .filter((person) => !known.has(lineStartOf(person)))
    .map(({ name, email, token }) => {
      const link = linkAt(url, 'invitation', { token, expires_at_ms })
      return csvLine([name, email, link.url, link.expires_at])
    })
  replaceForOwner(path, text + lines.join(''))
  run.probe('links file')
  const step = { size: LINKS_A_BATCH, what: 'Making sign-in links', unit: 'links' }
  for (const batch of batchesOfStep(run, made, step)) {
    await storeLinks(db, batch, run)
    run.probe('links')
  }
  return made.length
}

const storeLinks = (
  db: Db,
  made: readonly (Invited & PreparedInvitation)[],
  { plan: { source }, now_ms }: ImportRun,
): Promise<void> =>
  db.begin(async (tx) => {
    await tx.lock(null)
    await storeInvitations(tx, made, now_ms)
    await tx.orm.insert(imported_rows).values(
      made.map(({ account_id, source_id }) => ({
        source,
        source_id,
        account_id,
        kind: 'link' as const,
        key_id: null,
        identity: '',
        content: '{}',
        imported_at_ms: now_ms,
      })),
    )
  })

/** The start of a person's line. Another account may have taken the name of an erased one, and must not get the token already sent. */
const lineStartOf = ({ name, email }: Pick<Invited, 'name' | 'email'>): string =>
  csvLine([name, email]).trimEnd()

const LINE = /^(.*),[^,]*\/invitation#([A-Za-z0-9_-]{32})/gm

const tokensIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(LINE)].map(([, person = '', token = '']) => [person, token]))

/** Active accounts of the import without a password and without a link of an earlier run. */
const UNINVITED = `
  SELECT imported_rows.source_id, accounts.id AS account_id, accounts.name, account_details.email
    FROM imported_rows
    JOIN accounts ON accounts.id = imported_rows.account_id
    JOIN account_details ON account_details.account_id = accounts.id
   WHERE imported_rows.source = $source AND imported_rows.kind = 'account' AND accounts.status = 'active' AND account_details.email <> ''
     AND NOT EXISTS (SELECT 1 FROM people JOIN passwords ON passwords.person_id = people.id WHERE people.account_id = accounts.id)
     AND NOT EXISTS (SELECT 1 FROM people JOIN sign_in_links ON sign_in_links.person_id = people.id AND sign_in_links.purpose = 'password'
                      WHERE people.account_id = accounts.id)
     AND NOT EXISTS (SELECT 1 FROM closed_accounts WHERE closed_accounts.account_id = accounts.id)
     AND NOT EXISTS (SELECT 1 FROM imported_rows AS link WHERE link.source = $source AND link.kind = 'link'
                        AND link.source_id = imported_rows.source_id)
   ORDER BY accounts.id`

async function readUninvited(
  db: Db,
  accounts: readonly IncomingAccount[],
  source: string,
): Promise<readonly Invited[]> {
  const people = new Set(accounts.filter(needsLink).map(({ source_id }) => source_id))
  const rows = await db.rows<Invited>(UNINVITED, { source })
  return rows.filter(({ source_id }) => people.has(source_id))
}

/** Whether a person needs a link: the source has their email address, and no password hash that Tollgate can check. */
export const needsLink = ({ email, password_hash, status }: IncomingAccount): boolean =>
  email.trim() !== '' && password_hash === null && status === 'active'
