// The audit of the library: rules between rows and files, and the findings that break them.
import type { CheckedRule, Finding } from '../domain/finding.ts'
import { mimeOf, OUTPUT_FORMATS } from '../domain/image-formats.ts'
import { FILE_QUOTA_BYTES } from '../media/limits.ts'
import type { FileEntry, FileStore } from '../media/store.ts'
import type { FileRow, Generation } from '../store/schema.ts'
import { fileKeyOf } from './generations.ts'
import type { Library } from './library.ts'
import { isImageKey, storeKeyOf } from './names.ts'
import { fileQueries, generationQueries } from './queries.ts'

const MEANINGS = {
  stored_row_has_its_file: 'Each stored image has its file, in its recorded size.',
  file_has_its_row: 'Each image file belongs to a recorded image.',
  used_quota_is_sum_of_files: "An account's used quota is the size of its stored files.",
  quota_is_kept: `The uploaded files of an account have at most ${FILE_QUOTA_BYTES / 1024 / 1024} MB together.`,
} as const

/** The rules whose findings `Disagreement` describes in more detail. */
export const FILE_INVARIANTS = [
  'stored_row_has_its_file',
  'file_has_its_row',
] as const satisfies (keyof typeof MEANINGS)[]

/** The columns that determine the file of an image. */
type GenerationPlace = Pick<
  Generation,
  'uuid' | 'account_id' | 'state' | 'file_key' | 'bytes' | 'missing_since_ms'
>

/** A file that a row names. */
interface LibraryEntry {
  subject: string
  account_id: number
  /** The key in its store. */
  key: string
  /** Undefined while its file is being written. */
  bytes: number | undefined
  /** The time at which it was marked as missing; null if it is not. */
  missing_since_ms: number | null
}

/** A row and a file that disagree. */
export interface Disagreement {
  problem: 'missing' | 'no row' | 'size'
  /** The path in the data folder. */
  path: string
  /** The owner of the file, such as `image <uuid>`; null if no row names it. */
  row: string | null
  row_bytes: number | null
  disk_bytes: number | null
  /** The time at which the row was marked as missing; null if it is not. */
  missing_since_ms: number | null
}

interface LibraryAudit {
  rules: CheckedRule[]
  /** One finding per breach of an invariant. */
  findings: Finding[]
  /** The breaches between rows and files, one per file. */
  files: Disagreement[]
}

/** Options for checking a bucket's objects. */
export interface BucketCheck {
  /** A younger object without a row is no finding, since its row may be about to be written. Unix milliseconds. */
  strays_before_ms: number
}

/** Returns the findings of `compareLibrary`. */
export const auditLibrary = async (library: Pick<Library, 'db' | 'images' | 'files'>): Promise<Finding[]> =>
  (await compareLibrary(library)).findings

/**
 * Compares rows with files, and files with quotas. A gateway may be running: only findings of two comparisons are
 * reported, since rows and files may change between two reads.
 * @param look set to check the objects of a bucket, which may be large; otherwise only the quotas are checked there
 * @returns one finding per breach, and the affected files
 */
export async function compareLibrary(
  library: Pick<Library, 'db' | 'images' | 'files'>,
  look?: BucketCheck,
): Promise<LibraryAudit> {
  const first = await breaches(library, look)
  if (first.findings.length === 0) return first
  const again = await breaches(library, look)
  const findings = new Set(again.findings.map(nameOf))
  const paths = new Set(again.files.map(({ path }) => path))
  const twice = first.findings.filter((finding) => findings.has(nameOf(finding)))
  return {
    rules: first.rules.map((rule) => ({ ...rule, breaches: countOf(rule, twice) })),
    findings: twice,
    files: first.files.filter(({ path }) => paths.has(path)),
  }
}

const countOf = ({ invariant: name }: Pick<CheckedRule, 'invariant'>, findings: readonly Finding[]): number =>
  findings.filter(({ invariant }) => invariant === name).length

const nameOf = ({ invariant, subject }: Finding): string => `${invariant} ${subject}`

async function breaches(
  { db, images, files: uploads }: Pick<Library, 'db' | 'images' | 'files'>,
  look: BucketCheck | undefined,
): Promise<LibraryAudit> {
  const in_folders = images.folder !== undefined && uploads.folder !== undefined
  if (!in_folders && !look) return await auditQuotas(db)
  const strays_before_ms = in_folders ? Number.POSITIVE_INFINITY : (look?.strays_before_ms ?? 0)
  // Files are listed before rows are read, since a file's row is written before the file.
  const [produced_files, uploaded_files] = [await entriesIn(images), await entriesIn(uploads)]
  const produced = (await generationQueries(db).places.all()).flatMap(filesOfGeneration)
  const uploaded = (await fileQueries(db).all.all()).map(fileOfUpload)
  const files = [
    ...disagreements(produced, produced_files, { folder: 'images', strays_before_ms }),
    ...disagreements(uploaded, uploaded_files, { folder: 'files', strays_before_ms }),
  ]
  const findings = [...files.map(findingOf), ...quotas(uploaded, uploaded_files), ...exceeded(uploaded)]
  const checked = {
    'stored images': [...produced, ...uploaded].filter(({ bytes }) => bytes !== undefined).length,
    files: produced_files.size + uploaded_files.size,
    accounts: new Set(uploaded.map(({ account_id }) => account_id)).size,
  }
  return { rules: rulesOf(checked, findings), files, findings }
}

async function auditQuotas(db: Library['db']): Promise<LibraryAudit> {
  const uploaded = (await fileQueries(db).all.all()).map(fileOfUpload)
  const findings = exceeded(uploaded)
  const accounts = new Set(uploaded.map(({ account_id }) => account_id)).size
  const rules = rulesOf({ 'stored images': 0, files: 0, accounts }, findings)
  return { rules: rules.filter(({ invariant }) => invariant === 'quota_is_kept'), findings, files: [] }
}

const OVER = {
  stored_row_has_its_file: 'stored images',
  file_has_its_row: 'files',
  used_quota_is_sum_of_files: 'accounts',
  quota_is_kept: 'accounts',
} as const satisfies Record<keyof typeof MEANINGS, string>

const rulesOf = (
  checked: Record<(typeof OVER)[keyof typeof OVER], number>,
  findings: readonly Finding[],
): CheckedRule[] =>
  Object.entries(MEANINGS).map(([invariant, meaning]) => {
    const over = OVER[invariant as keyof typeof OVER]
    return { invariant, meaning, over, checked: checked[over], breaches: countOf({ invariant }, findings) }
  })

const fileOfUpload = ({ key, account_id, bytes, state, missing_since_ms }: FileRow): LibraryEntry => ({
  subject: `file ${key}`,
  account_id,
  key: storeKeyOf(key),
  bytes: state === 'stored' ? bytes : undefined,
  missing_since_ms,
})

/** While an image is being generated, its file may exist in any format. */
function filesOfGeneration(row: GenerationPlace): LibraryEntry[] {
  const { uuid, account_id, state, file_key, bytes, missing_since_ms } = row
  const subject = `image ${uuid}`
  if (file_key !== null && bytes !== null)
    return [{ subject, account_id, key: file_key, bytes, missing_since_ms }]
  if (state !== 'generating') return []
  return OUTPUT_FORMATS.map((format) => ({
    subject,
    account_id,
    key: fileKeyOf({ uuid, account_id }, mimeOf(format)),
    bytes: undefined,
    missing_since_ms,
  }))
}

type Entries = ReadonlyMap<string, FileEntry>

/** Lists the files. In a folder all files belong to the gateway; in a bucket only those with an image key. */
async function entriesIn(store: FileStore): Promise<Entries> {
  const entries = new Map<string, FileEntry>()
  for await (const entry of store.list())
    if (store.folder || isImageKey(entry.key)) entries.set(entry.key, entry)
  return entries
}

function disagreements(
  rows: readonly LibraryEntry[],
  entries: Entries,
  { folder, strays_before_ms }: BucketCheck & { folder: 'images' | 'files' },
): Disagreement[] {
  const named = new Set(rows.map(({ key }) => key))
  const wrong = rows.filter(({ key, bytes }) => bytes !== undefined && entries.get(key)?.bytes !== bytes)
  const strays = [...entries.values()].filter(
    ({ key, modified_at_ms }) => !named.has(key) && modified_at_ms < strays_before_ms,
  )
  return [
    ...wrong.map(({ subject, key, bytes, missing_since_ms }) => ({
      problem: entries.has(key) ? ('size' as const) : ('missing' as const),
      path: `${folder}/${key}`,
      row: subject,
      row_bytes: bytes ?? null,
      disk_bytes: entries.get(key)?.bytes ?? null,
      missing_since_ms,
    })),
    ...strays.map(({ key, bytes }) => ({
      problem: 'no row' as const,
      path: `${folder}/${key}`,
      row: null,
      row_bytes: null,
      disk_bytes: bytes,
      missing_since_ms: null,
    })),
  ]
}

const findingOf = ({ path, row, row_bytes, disk_bytes }: Disagreement): Finding =>
  row === null
    ? finding('file_has_its_row', path, 'a row', 'none')
    : finding('stored_row_has_its_file', row, `${row_bytes} bytes`, sizesText(disk_bytes))

function quotas(rows: LibraryEntry[], entries: Entries): Finding[] {
  const accounts = Map.groupBy(rows, ({ account_id }) => account_id)
  return [...accounts].flatMap(([id, of_account]) => {
    const stored = of_account.filter(({ bytes, key }) => bytes !== undefined && entries.has(key))
    const counted = stored.reduce((total, { bytes = 0 }) => total + bytes, 0)
    const on_disk = stored.reduce((total, { key }) => total + (entries.get(key)?.bytes ?? 0), 0)
    const subject = `account ${id}`
    return counted === on_disk ? [] : [finding('used_quota_is_sum_of_files', subject, on_disk, counted)]
  })
}

function exceeded(rows: readonly LibraryEntry[]): Finding[] {
  const accounts = Map.groupBy(rows, ({ account_id }) => account_id)
  return [...accounts].flatMap(([id, of_account]) => {
    const used = of_account.reduce((total, { bytes = 0 }) => total + bytes, 0)
    if (used <= FILE_QUOTA_BYTES) return []
    return [finding('quota_is_kept', `account ${id}`, `at most ${FILE_QUOTA_BYTES}`, used)]
  })
}

const sizesText = (bytes: number | null): string => (bytes === null ? 'no file' : `${bytes} bytes`)

const finding = (
  invariant: keyof typeof MEANINGS,
  subject: string,
  expected: Finding['expected'],
  found: Finding['found'],
): Finding => ({ invariant, meaning: MEANINGS[invariant], subject, expected, found })
