// The whole audit: the books, the images with their files, and the kept responses.
import type { Database } from 'bun:sqlite'
import { money } from '../http/views.ts'
import { type Audit, audit } from '../ledger/audit.ts'
import { compareLibrary, type Disagreement } from '../library/audit.ts'
import type { Library } from '../library/library.ts'
import type { FileStore } from '../media/store.ts'
import {
  auditResponses,
  type ResponseTotals,
  rulesOfResponses,
  totalsOfResponses,
} from '../responses/audit.ts'
import type { AuditReport } from '../surface/books.ts'

export interface FullAudit extends Audit {
  /** Files and rows that disagree. */
  files: Disagreement[]
  kept: ResponseTotals
}

/** @param db a connection that is in no transaction; a read-only one is enough */
export async function fullAudit({
  db,
  images,
  files,
  responses,
}: { db: Database; responses: FileStore } & Pick<Library, 'images' | 'files'>): Promise<FullAudit> {
  const books = audit(db)
  const library = await compareLibrary({ db, images, files })
  const in_responses = await auditResponses(db, responses)
  const kept = totalsOfResponses(db)
  const findings = [...books.findings, ...library.findings, ...in_responses]
  const rules = [...books.rules, ...library.rules, ...rulesOfResponses(kept.responses, in_responses)]
  return { clean: findings.length === 0, rules, findings, files: library.files, totals: books.totals, kept }
}

/** An audit as programs read it. */
export function reportOf({ clean, rules, findings, totals, kept }: FullAudit): AuditReport {
  const { accounts, keys, calls, pending_holds, ...amounts } = totals
  return {
    clean,
    rules,
    findings,
    totals: {
      accounts,
      keys,
      calls,
      pending_holds,
      ...kept,
      ...money('balance', amounts.balance_nanos),
      ...money('held', amounts.held_nanos),
      ...money('debt', amounts.debt_nanos),
      ...money('charged', amounts.charged_nanos),
      ...money('topped_up', amounts.topped_up_nanos),
      ...money('withdrawn', amounts.withdrawn_nanos),
    },
  }
}

/** Findings as lines of text: what is wrong, what it should be, and which rule it breaks. */
export function describeFindings({ findings }: Pick<Audit, 'findings'>): string {
  return findings
    .map(
      ({ subject, found, expected, meaning }) => `${subject}: is ${found}, should be ${expected}. ${meaning}`,
    )
    .join('\n')
}
