// The full audit: the database itself, the books, the images with their files, and the kept responses; and its JSON report.

import { type Static, Type } from '@sinclair/typebox'
import { unprocessable } from '../../domain/errors.ts'
import type { CheckedRule, Finding } from '../../domain/finding.ts'
import { Nullable } from '../../http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../http/views.ts'
import { type BucketCheck, compareLibrary, type Disagreement } from '../../library/audit.ts'
import type { Library } from '../../library/library.ts'
import type { FileStore } from '../../media/store.ts'
import { type Audit, audit } from '../../money/ledger/audit.ts'
import type { AuditMark } from '../../money/ledger/audit-mark.ts'
import { INVARIANTS } from '../../money/ledger/invariants.ts'
import { auditAndMark, auditFrom, type MarkedAudit } from '../../money/ledger/marked-audit.ts'
import {
  auditResponses,
  type ResponseTotals,
  rulesOfResponses,
  totalsOfResponses,
} from '../../responses/audit.ts'
import type { Db } from '../../store/db.ts'
import type { Integrity, Part } from '../../store/engines/sqlite/integrity.ts'
import { compareKept } from './files/kept-objects.ts'
import type { FileStores } from './files/stores.ts'
import type { MadeReport } from './last-report.ts'

const Side = Nullable(Type.Union([Type.Number(), Type.String()]))

/** The part of the answer of `tollgate audit --json` that the gateway reads. */
export const AuditReport = Type.Object({
  clean: Type.Boolean(),
  from: Nullable(
    Type.Object(
      {
        call_id: Type.Integer({ description: 'the last call before the checked ones' }),
        ...TimeFields('whole', 'The last time that all rows were checked'),
      },
      { description: 'null if all rows were checked' },
    ),
  ),
  rules: Type.Array(
    Type.Object({
      invariant: Type.String(),
      meaning: Type.String(),
      over: Type.String({ description: 'the kind of things checked, such as `accounts`' }),
      checked: Type.Integer({ description: 'the number of things checked' }),
      breaches: Type.Integer({ description: 'the number of findings, at most 100' }),
    }),
  ),
  findings: Type.Array(
    Type.Object({
      invariant: Type.String(),
      meaning: Type.String(),
      subject: Type.String(),
      expected: Side,
      found: Side,
    }),
  ),
  totals: Type.Object({
    accounts: Type.Integer(),
    keys: Type.Integer(),
    calls: Type.Integer(),
    pending_holds: Type.Integer(),
    responses: Type.Integer(),
    response_bytes: Type.Integer(),
    ...MoneyFields('balance'),
    ...MoneyFields('held'),
    ...MoneyFields('debt'),
    ...MoneyFields('charged'),
    ...MoneyFields('topped_up'),
    ...MoneyFields('refunded'),
    ...MoneyFields('withdrawn'),
  }),
})
export type AuditReport = Static<typeof AuditReport>

export type MadeAudit = MadeReport<AuditReport>

export function reportOf({ clean, from, rules, findings, totals, kept }: FullAudit): AuditReport {
  const { accounts, keys, calls, pending_holds, ...amounts } = totals
  return {
    clean,
    from: from ? { call_id: from.call_id, ...time('whole', from.whole_at_ms) } : null,
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
      ...money('refunded', amounts.refunded_nanos),
      ...money('withdrawn', amounts.withdrawn_nanos),
    },
  }
}

export interface FullAudit extends Audit, Partial<Pick<MarkedAudit, 'from' | 'next'>> {
  files: Disagreement[]
  kept: ResponseTotals
  /** Advice on a damaged database; undefined if it is whole. */
  advice: string | undefined
}

/** The completed steps of an audit: the database itself, each rule of the books, the library, the responses. */
interface AuditProgress {
  done: number
  of: number
}

export type OnAudit = (progress: AuditProgress) => void

/** The number of steps that are not rules of the books. */
const OTHER_STEPS = 3

interface Audited extends Pick<Library, 'db' | 'images' | 'files'> {
  integrity: Integrity
  responses: FileStore
  /** Set to check a bucket's objects, too. */
  look?: (BucketCheck & Pick<FileStores, 'answers'>) | undefined
  onAudit?: OnAudit | undefined
  /** If absent, all rows are checked, and no mark is made. */
  marking?: Marking | undefined
}

interface Marking {
  /** The mark to start from, if it is valid; undefined to check all rows. */
  mark?: AuditMark | undefined
  now_ms: number
}

/**
 * @param db outside any transaction; read access suffices
 * @throws GatewayError unprocessable if the database is so damaged that its books cannot be read
 */
export async function fullAudit(audited: Audited): Promise<FullAudit> {
  const { db, images, files, responses, look } = audited
  const of = INVARIANTS.length + OTHER_STEPS
  const step = (done: number) => audited.onAudit?.({ done, of })
  step(0)
  const above = await booksAbove(db, audited.marking)
  const database = await auditDatabase(audited.integrity, above === undefined)
  const books = above ?? (await auditBooks(db, database, { ...audited, onRule: (done) => step(done + 1) }))
  step(of - 2)
  const library = await compareLibrary({ db, images, files }, look)
  step(of - 1)
  const in_responses = await auditResponses(db, responses, look !== undefined)
  const objects = look && (await compareKept(db, { answers: look.answers, responses }, look))
  const kept = await totalsOfResponses(db)
  const findings = [
    ...database.findings,
    ...books.findings,
    ...library.findings,
    ...in_responses,
    ...(objects?.findings ?? []),
  ]
  const rules = [
    ...database.rules,
    ...books.rules,
    ...library.rules,
    ...rulesOfResponses(kept.responses, in_responses),
    ...(objects?.rules ?? []),
  ]
  return {
    clean: findings.length === 0,
    rules,
    findings,
    from: books.from,
    // Findings in images and kept responses do not matter to the mark: these are checked in full each time.
    next: database.findings.length === 0 ? books.next : undefined,
    files: [...library.files, ...(objects?.files ?? [])],
    totals: books.totals,
    kept,
    advice: database.findings.length > 0 ? adviceFor(database) : undefined,
  }
}

interface Damage extends Pick<Integrity, 'advice'> {
  findings: readonly Finding[]
  missing: readonly Part[]
}

/** Checks the database itself, since queries over a damaged index miss rows without an error. @param all false to skip checks that read all rows */
async function auditDatabase(
  { meaning, advice, ...integrity }: Integrity,
  all: boolean,
): Promise<Damage & { rules: CheckedRule[] }> {
  const finding = (invariant: keyof typeof meaning, expected: string, found: string): Finding => ({
    invariant,
    meaning: meaning[invariant],
    subject: 'database',
    expected,
    found,
  })
  const looks = all || !integrity.reads_all
  const missing = await integrity.missing()
  const findings = [
    ...(looks ? await integrity.damage() : []).map((line) => finding('database_is_whole', 'whole', line)),
    ...missing.map(({ name }) => finding('database_is_complete', name, 'nothing')),
  ]
  const made = Object.entries(meaning).filter(([invariant]) => looks || invariant !== 'database_is_whole')
  const rules = made.map(([invariant, means]) => ({
    invariant,
    meaning: means,
    over: 'databases',
    checked: 1,
    breaches: findings.filter((each) => each.invariant === invariant).length,
  }))
  return { rules, findings, missing, advice }
}

/** @returns undefined if there is no valid mark, or anything fails: then all rows are checked */
async function booksAbove(db: Db, marking: Marking | undefined): Promise<MarkedAudit | undefined> {
  if (!marking?.mark) return undefined
  try {
    return await auditFrom(db, marking.mark, marking.now_ms)
  } catch {
    // Dropped: the audit of all rows fails for the same reason, and reports it.
    return undefined
  }
}

async function auditBooks(
  db: Db,
  damage: Damage,
  { marking, onRule }: Pick<Audited, 'marking'> & { onRule: (done: number) => void },
): Promise<Audit & Partial<MarkedAudit>> {
  try {
    return await (marking ? auditAndMark(db, marking.now_ms, onRule) : audit(db, onRule))
  } catch (cause) {
    const [first] = damage.findings
    if (!first) throw cause
    throw unprocessable(`The database is damaged: it ${wrongOf(first)}. ${adviceFor(damage)}`, { cause })
  }
}

/** REINDEX does not create missing indexes. A missing trigger needs a restore, since wrong rows may have been written without it. */
function adviceFor({ findings, missing, advice }: Damage): string {
  if (missing.length === 0) return advice.damaged
  const are_indexes =
    missing.every(({ name }) => name.startsWith('index ')) && missing.length === findings.length
  if (!are_indexes) return `${advice.first} Then restore a backup.`
  const commands = missing.map(({ sql }) => `  ${advice.command(sql)}`)
  return [`${advice.first} Then create each missing index, and run another audit:`, ...commands].join('\n')
}

const wrongOf = ({ found, expected }: Finding): string =>
  found === 'nothing' ? `lacks ${expected}` : `is ${found}, should be ${expected}`

/** Formats findings as lines: the value found, the expected one, and the broken rule. */
export function describeFindings({ findings }: Pick<Audit, 'findings'>): string {
  return findings.map((finding) => `${finding.subject}: ${wrongOf(finding)}. ${finding.meaning}`).join('\n')
}
