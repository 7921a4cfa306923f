// The size of a PDF: how many pages it has, and the most tokens that its text can be.
// ISO 32000-1, sections 7.7.3 (page tree), 7.8.2 (content streams) and 8.10 (form XObjects)
import {
  type Budget,
  budgetOf,
  decoded,
  type PdfObject,
  type PdfObjects,
  readObjects,
  Unreadable,
} from './pdf-objects.ts'
import { type Drawn, drawnBy, lettersOfGlyphs, tokensPerByte } from './pdf-text.ts'

export interface PdfSize {
  /** Undefined where it cannot be counted, as in an encrypted one. */
  pages: number | undefined
  /** The most tokens of all its text; undefined where that has no bound, as where a page is drawn by streams that draw each other. */
  text_tokens: number | undefined
}

const UNKNOWN: PdfSize = { pages: undefined, text_tokens: undefined }

/** @returns the most that any reader makes of it; nothing is drawn, and no more is inflated than sixteen times its bytes */
export function measurePdf(bytes: Buffer): PdfSize {
  const budget = budgetOf(bytes)
  try {
    const objects = readObjects(bytes, budget)
    const all = [...objects.values()].flat()
    if (all.some(({ body }) => /\/Encrypt\b/.test(body)) || bytes.includes('/Encrypt')) return UNKNOWN
    const leaves = pagesOf(objects, all)
    const counted = all.map(({ body }) =>
      /\/Kids\b/.test(body) ? Number(/\/Count\s+(\d+)/.exec(body)?.[1] ?? 0) : 0,
    )
    const typed = all.filter(({ body }) => IS_PAGE.test(body)).length
    const pages = Math.max(leaves.length, typed, ...new Set(counted))
    return { pages, text_tokens: textOf(objects, all, leaves, budget) }
  } catch (thrown) {
    if (thrown instanceof Unreadable) return UNKNOWN
    throw thrown
  }
}

const IS_PAGE = /\/Type\s*\/Page\b(?!s)/
const REFERENCE = /(\d+)\s+\d+\s+R\b/g
const refsIn = (text: string): number[] => [...text.matchAll(REFERENCE)].map(([, number]) => Number(number))

/** The leaves of every tree of pages. @throws Unreadable where there is none, or where a node is in it twice */
function pagesOf(objects: PdfObjects, all: readonly PdfObject[]): PdfObject[] {
  const roots = all.flatMap(({ body }) => refsIn((body.match(/\/Pages\s+\d+\s+\d+\s+R\b/g) ?? []).join(' ')))
  const waiting = [...new Set(roots)]
  if (waiting.length === 0) throw new Unreadable()
  const seen = new Set<number>(waiting)
  const leaves: PdfObject[] = []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const object of objects.get(node) ?? []) {
      const kids = listsIn(objects, object.body, 'Kids')
      if (kids === undefined) leaves.push(object)
      else
        for (const kid of kids) {
          if (seen.has(kid)) {
            if (!isAgain(objects, node)) throw new Unreadable()
            continue
          }
          seen.add(kid)
          waiting.push(kid)
        }
    }
  }
  return leaves
}

/** An update of a file repeats a node with nearly the same children. */
const isAgain = (objects: PdfObjects, node: number): boolean => (objects.get(node)?.length ?? 0) > 1

/** The references of a field, which may stand in an array of their own. @returns undefined without the field */
function listsIn(objects: PdfObjects, body: string, field: 'Kids' | 'Contents'): number[] | undefined {
  const found = [...body.matchAll(new RegExp(`/${field}\\b\\s*(\\[[^\\]]*\\]|\\d+\\s+\\d+\\s+R\\b|)`, 'g'))]
  if (found.length === 0) return undefined
  return found.flatMap(([, value = '']) => {
    if (value === '') throw new Unreadable()
    const refs = refsIn(value)
    return refs.flatMap((ref) => {
      const targets = objects.get(ref) ?? []
      const arrays = targets.filter(({ body: target, data }) => !data && /^\s*\[/.test(target))
      if (arrays.length === 0) return [ref]
      if (arrays.some(({ body: target }) => refsIn(target).some((one) => isArray(objects, one))))
        throw new Unreadable()
      return arrays.flatMap(({ body: target }) => refsIn(target))
    })
  })
}

const isArray = (objects: PdfObjects, number: number): boolean =>
  (objects.get(number) ?? []).some(({ body, data }) => !data && /^\s*\[/.test(body))

/** Streams that draw each other twice may draw a text any number of times. */
const MAX_DRAWN = 1_000_000_000

function textOf(
  objects: PdfObjects,
  all: readonly PdfObject[],
  leaves: readonly PdfObject[],
  budget: Budget,
): number | undefined {
  // A text that stands in for another one may be used by any number of marks.
  if (all.some(({ body }) => /\/ActualText\b/.test(body))) return undefined
  try {
    const uses = new Map<number, number>()
    for (const leaf of leaves)
      for (const ref of listsIn(objects, leaf.body, 'Contents') ?? []) uses.set(ref, (uses.get(ref) ?? 0) + 1)
    let text_bytes = 0
    let calls = all.reduce((sum, { body }) => sum + (body.match(/\/AP\b/g)?.length ?? 0), 0)
    for (const [number, times] of uses) {
      const drawn = most(objects.get(number) ?? [], budget)
      text_bytes += times * drawn.text_bytes
      calls += times * drawn.calls
    }
    text_bytes += formsBytes(all, calls, budget)
    const tokens = text_bytes * perByte(objects, all, budget)
    return tokens > MAX_DRAWN ? undefined : Math.ceil(tokens)
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined
    throw thrown
  }
}

/** Of the versions of a stream that the file has. */
function most(versions: readonly PdfObject[], budget: Budget): Drawn {
  let text_bytes = 0
  let calls = 0
  for (const version of versions) {
    if (!version.data) throw new Unreadable()
    const drawn = drawnBy(decoded(version, budget))
    text_bytes = Math.max(text_bytes, drawn.text_bytes)
    calls = Math.max(calls, drawn.calls)
  }
  return { text_bytes, calls }
}

/** What forms draw that are drawn so often: each time the longest of them, and what they draw in turn. */
function formsBytes(all: readonly PdfObject[], calls: number, budget: Budget): number {
  if (calls === 0) return 0
  const forms = all
    .filter(({ body, data }) => data && /\/Subtype\s*\/Form\b/.test(body))
    .map((form) => most([form], budget))
  const text_bytes = Math.max(0, ...forms.map((form) => form.text_bytes))
  if (text_bytes === 0) return 0
  const inner = Math.max(...forms.map((form) => form.calls))
  let drawn = calls
  let level = calls
  for (let depth = 0; depth < forms.length && level > 0; depth++) {
    level *= inner
    drawn += level
    if (drawn > MAX_DRAWN) throw new Unreadable()
  }
  return drawn * text_bytes
}

function perByte(objects: PdfObjects, all: readonly PdfObject[], budget: Budget): number {
  let tokens = Math.max(1, ...all.map(({ body }) => lettersOfGlyphs(body)))
  const cmaps = new Set(
    all.flatMap(({ body }) => refsIn((body.match(/\/ToUnicode\s+\d+\s+\d+\s+R\b/g) ?? []).join(' '))),
  )
  for (const number of cmaps)
    for (const cmap of objects.get(number) ?? [])
      if (cmap.data) tokens = Math.max(tokens, tokensPerByte(decoded(cmap, budget).toString('latin1')))
  return Math.max(tokens, tokensPerByte(''))
}
