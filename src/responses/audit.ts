// The audit of kept responses: complete conversations, and files of large responses.
import type { CheckedRule, Finding } from '../domain/finding.ts'
import type { Db } from '../store/db.ts'
import type { ContentFiles } from '../store/kept/content.ts'
import { responseQueries } from './queries.ts'
import type { Row } from './rows.ts'

const MEANINGS = {
  kept_response_has_its_content: 'Each kept response has its content, of the recorded size.',
  conversation_is_whole:
    'Each kept response counts the responses and bytes of its whole conversation, all of one account.',
  response_counts_those_after_it: 'Each kept response counts the responses that continue it.',
} as const

export interface ResponseTotals {
  responses: number
  response_bytes: number
}

export async function totalsOfResponses(db: Db): Promise<ResponseTotals> {
  const { count = 0, kept_bytes } = (await responseQueries(db).totals.get()) ?? {}
  return { responses: count, response_bytes: kept_bytes ?? 0 }
}

/** The audit's rules on kept responses, with the number of breaches. */
export const rulesOfResponses = (responses: number, findings: readonly Finding[]): CheckedRule[] =>
  Object.entries(MEANINGS).map(([name, meaning]) => ({
    invariant: name,
    meaning,
    over: 'kept responses',
    checked: responses,
    breaches: findings.filter(({ invariant }) => invariant === name).length,
  }))

/**
 * Compares the rows with each other, and with their files. It may run beside a server: breaches are checked twice, since rows and
 * files may change between two reads.
 * @param looks_through whether to list a bucket, too, which may be large
 */
export async function auditResponses(
  db: Db,
  files: Pick<ContentFiles, 'list' | 'folder'>,
  looks_through = false,
): Promise<Finding[]> {
  const listed = files.folder || looks_through ? files : undefined
  const first = await breaches(db, listed)
  if (first.length === 0) return first
  const again = new Set((await breaches(db, listed)).map(nameOf))
  return first.filter((finding) => again.has(nameOf(finding)))
}

const nameOf = ({ invariant, subject }: Finding): string => `${invariant} ${subject}`

async function breaches(db: Db, files: Pick<ContentFiles, 'list'> | undefined): Promise<Finding[]> {
  const rows = await responseQueries(db).all.all()
  // After the rows: a file is written before its row.
  const sizes = files && (await sizesIn(files))
  const by_id = new Map<number, Row>(rows.map((row) => [row.id, row]))
  const after = Map.groupBy(rows, ({ previous }) => previous)
  return rows.flatMap((row) => {
    const { body_file, body_bytes, kept_bytes } = row
    const file_bytes = sizes ? sizes.get(body_file ?? '') : kept_bytes
    const found_bytes = body_file === null ? body_bytes : file_bytes
    const expected = expectedChain(row, row.previous === null ? undefined : by_id.get(row.previous))
    const later = after.get(row.id)?.length ?? 0
    return [
      ...(found_bytes === kept_bytes
        ? []
        : [finding('kept_response_has_its_content', row, bytesText(kept_bytes), bytesText(found_bytes))]),
      ...(expected === chainText(row)
        ? []
        : [finding('conversation_is_whole', row, expected, chainText(row))]),
      ...(later === row.later ? [] : [finding('response_counts_those_after_it', row, later, row.later)]),
    ]
  })
}

async function sizesIn(files: Pick<ContentFiles, 'list'>): Promise<Map<string, number>> {
  return new Map((await Array.fromAsync(files.list())).map(({ key, bytes }) => [key, bytes]))
}

function expectedChain(row: Row, previous: Row | undefined): string {
  const { account_id, kept_bytes } = row
  const { chain_bytes = 0, chain_length = 0 } = previous ?? {}
  return chainText({
    account_id: previous?.account_id ?? account_id,
    chain_bytes: chain_bytes + kept_bytes,
    chain_length: chain_length + 1,
  })
}

const chainText = (row: Pick<Row, 'account_id' | 'chain_bytes' | 'chain_length'>): string =>
  `${row.chain_length} responses of ${row.chain_bytes} bytes of account ${row.account_id}`

const bytesText = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined ? 'nothing' : `${bytes} bytes`

const finding = (
  invariant: keyof typeof MEANINGS,
  { response_id }: Row,
  expected: Finding['expected'],
  found: Finding['found'],
): Finding => ({
  invariant,
  meaning: MEANINGS[invariant],
  subject: `response ${response_id}`,
  expected,
  found,
})
