// The audit of kept answers and responses in a bucket: objects that no row names, and answers whose object is missing.
import type { CheckedRule, Finding } from '../../../domain/finding.ts'
import { idempotencyQueries } from '../../../idempotency/queries.ts'
import type { BucketCheck, Disagreement } from '../../../library/audit.ts'
import type { FileEntry, FileStore } from '../../../media/store.ts'
import { responseQueries } from '../../../responses/queries.ts'
import type { Db } from '../../../store/db.ts'
import type { FileStores } from './stores.ts'

const MEANINGS = {
  kept_object_has_its_row: 'Each object of a kept answer or response belongs to a row.',
  kept_answer_has_its_object: 'Each kept answer in the bucket has its object.',
} as const

/** The rules whose findings `Disagreement` describes in more detail. */
export const KEPT_INVARIANTS = Object.keys(MEANINGS)

interface KeptObjects {
  rules: CheckedRule[]
  findings: Finding[]
  files: Disagreement[]
}

type Stores = Pick<FileStores, 'answers' | 'responses'>

/** Reports faults that two reads agree on, since rows and objects may change between reads. Another rule checks the objects of responses. */
export async function compareKept(db: Db, stores: Stores, look: BucketCheck): Promise<KeptObjects> {
  const first = await compared(db, stores, look)
  const again = first.files.length === 0 ? first : await compared(db, stores, look)
  const seen = new Set(again.files.map(({ path }) => path))
  const files = first.files.filter(({ path }) => seen.has(path))
  const findings = files.map(findingOf)
  return { rules: rulesOf(first, findings), findings, files }
}

interface Compared {
  files: Disagreement[]
  objects: number
  answers: number
}

/** Lists the objects before it reads the rows. Objects written since then are too young to count as strays. */
async function compared(db: Db, stores: Stores, { strays_before_ms }: BucketCheck): Promise<Compared> {
  const listed = {
    answers: await entriesIn(stores.answers),
    responses: await entriesIn(stores.responses),
  }
  const named = {
    answers: keysOf(await idempotencyQueries(db).bodyFiles.all()),
    responses: keysOf(await responseQueries(db).bodyFiles.all()),
  }
  const strays = (name: keyof Stores) =>
    listed[name].filter(
      ({ key, modified_at_ms }) => !named[name].has(key) && modified_at_ms < strays_before_ms,
    )
  const there = new Set(listed.answers.map(({ key }) => key))
  const missing = [...named.answers].filter((key) => !there.has(key))
  return {
    files: [
      ...missing.map((key) => ({
        ...NEITHER,
        problem: 'missing' as const,
        path: `answers/${key}`,
        row: `answer ${key}`,
      })),
      ...strays('answers').map((entry) => strayOf('answers', entry)),
      ...strays('responses').map((entry) => strayOf('responses', entry)),
    ],
    objects: listed.answers.length + listed.responses.length,
    answers: named.answers.size,
  }
}

/** Deeper objects belong to another gateway, whose prefix is below this one. */
const entriesIn = async (store: FileStore): Promise<FileEntry[]> =>
  (await Array.fromAsync(store.list())).filter(({ key }) => !key.includes('/'))

const keysOf = (rows: readonly { body_file: string | null }[]): Set<string> =>
  new Set(rows.flatMap(({ body_file }) => body_file ?? []))

const NEITHER = { row: null, row_bytes: null, disk_bytes: null, missing_since_ms: null } as const

const strayOf = (name: keyof Stores, { key, bytes }: FileEntry): Disagreement => ({
  ...NEITHER,
  problem: 'no row',
  path: `${name}/${key}`,
  disk_bytes: bytes,
})

const findingOf = ({ path, row }: Disagreement): Finding =>
  row === null
    ? finding('kept_object_has_its_row', path, 'a row', 'none')
    : finding('kept_answer_has_its_object', row, path, 'nothing')

const finding = (
  invariant: keyof typeof MEANINGS,
  subject: string,
  expected: string,
  found: string,
): Finding => ({ invariant, meaning: MEANINGS[invariant], subject, expected, found })

const rulesOf = ({ objects, answers }: Compared, findings: readonly Finding[]): CheckedRule[] =>
  Object.entries(MEANINGS).map(([invariant, meaning]) => {
    const [over, checked] =
      invariant === 'kept_object_has_its_row'
        ? (['objects', objects] as const)
        : (['kept answers', answers] as const)
    const breaches = findings.filter((each) => each.invariant === invariant).length
    return { invariant, meaning, over, checked, breaches }
  })
