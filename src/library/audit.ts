// The audit of the library: what must hold between rows and files, and the findings where it does not.
import type { FileRow, Generation } from '../db/schema.ts'
import type { Finding } from '../domain/finding.ts'
import { mimeOf, OUTPUT_FORMATS } from '../domain/image-formats.ts'
import { FILE_QUOTA_BYTES } from '../media/limits.ts'
import type { FileStore } from '../media/store.ts'
import { fileKeyOf } from './generations.ts'
import type { Library } from './library.ts'
import { storeKeyOf } from './names.ts'
import { fileQueries, generationQueries } from './queries.ts'

const MEANINGS = {
  stored_row_has_its_file: 'An image whose row says stored has its file, of the size in its row.',
  file_has_its_row: 'A file in the folders of images is named by a row.',
  used_quota_is_sum_of_files:
    "The bytes that an account's rows count against its quota are those of its files on the disk.",
  quota_is_kept: `The uploaded files of an account have at most ${FILE_QUOTA_BYTES} bytes together.`,
} as const

/** What the file of an image follows from. */
type GenerationPlace = Pick<Generation, 'uuid' | 'account_id' | 'state' | 'file_key' | 'bytes'>

/** A file that a row names. */
interface Named {
  subject: string
  account_id: number
  /** The key in its store. */
  key: string
  /** Undefined while its file is being written. */
  bytes: number | undefined
}

/**
 * Compares the rows with the files, and the files with the quotas. May run beside a server: only what is found twice is
 * reported, since rows and files may change between two reads.
 *
 * @returns one finding for each breach
 */
export async function auditLibrary(library: Pick<Library, 'db' | 'images' | 'files'>): Promise<Finding[]> {
  const first = await breaches(library)
  if (first.length === 0) return []
  const again = new Set((await breaches(library)).map(nameOf))
  return first.filter((finding) => again.has(nameOf(finding)))
}

const nameOf = ({ invariant, subject }: Finding): string => `${invariant} ${subject}`

async function breaches({
  db,
  images,
  files: uploads,
}: Pick<Library, 'db' | 'images' | 'files'>): Promise<Finding[]> {
  // The files are listed before the rows are read: a listed file had its row before it was written.
  const [produced_files, uploaded_files] = [await sizesIn(images), await sizesIn(uploads)]
  const produced = generationQueries(db).places.all().flatMap(filesOfGeneration)
  const uploaded = fileQueries(db).all.all().map(fileOfUpload)
  return [
    ...disagreements(produced, produced_files, 'images'),
    ...disagreements(uploaded, uploaded_files, 'files'),
    ...quotas(uploaded, uploaded_files),
  ]
}

const fileOfUpload = ({ key, account_id, bytes, state }: FileRow): Named => ({
  subject: `file ${key}`,
  account_id,
  key: storeKeyOf(key),
  bytes: state === 'stored' ? bytes : undefined,
})

/** While an image is being made, its file may exist in any of the formats. */
function filesOfGeneration({ uuid, account_id, state, file_key, bytes }: GenerationPlace): Named[] {
  const subject = `image ${uuid}`
  if (file_key !== null && bytes !== null) return [{ subject, account_id, key: file_key, bytes }]
  if (state !== 'generating') return []
  return OUTPUT_FORMATS.map((format) => ({
    subject,
    account_id,
    key: fileKeyOf({ uuid, account_id }, mimeOf(format)),
    bytes: undefined,
  }))
}

const sizesIn = async (store: FileStore): Promise<Map<string, number>> =>
  new Map((await store.list()).map(({ key, bytes }) => [key, bytes]))

function disagreements(rows: Named[], sizes: Map<string, number>, folder: string): Finding[] {
  const named = new Set(rows.map(({ key }) => key))
  const missing = rows.filter(({ key, bytes }) => bytes !== undefined && sizes.get(key) !== bytes)
  const strays = [...sizes].filter(([key]) => !named.has(key))
  return [
    ...missing.map(({ subject, key, bytes }) =>
      finding('stored_row_has_its_file', subject, `${bytes} bytes`, sizesText(sizes.get(key))),
    ),
    ...strays.map(([key]) => finding('file_has_its_row', `${folder}/${key}`, 'a row', 'none')),
  ]
}

function quotas(rows: Named[], sizes: Map<string, number>): Finding[] {
  const accounts = Map.groupBy(rows, ({ account_id }) => account_id)
  return [...accounts].flatMap(([id, of_account]) => {
    const stored = of_account.filter(({ bytes }) => bytes !== undefined)
    const counted = stored.reduce((total, { bytes = 0 }) => total + bytes, 0)
    const on_disk = stored.reduce((total, { key }) => total + (sizes.get(key) ?? 0), 0)
    const subject = `account ${id}`
    return [
      ...(counted === on_disk ? [] : [finding('used_quota_is_sum_of_files', subject, on_disk, counted)]),
      ...(counted <= FILE_QUOTA_BYTES
        ? []
        : [finding('quota_is_kept', subject, `at most ${FILE_QUOTA_BYTES}`, counted)]),
    ]
  })
}

const sizesText = (bytes: number | undefined): string => (bytes === undefined ? 'no file' : `${bytes} bytes`)

const finding = (
  invariant: keyof typeof MEANINGS,
  subject: string,
  expected: Finding['expected'],
  found: Finding['found'],
): Finding => ({ invariant, meaning: MEANINGS[invariant], subject, expected, found })
