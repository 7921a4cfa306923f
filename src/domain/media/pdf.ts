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
import { type Drawn, drawnBy, MIN_TOKENS_PER_BYTE, tokensOfGlyphs, tokensPerByte } from './pdf-text.ts'

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
    const { objects, all } = readObjects(bytes, budget)
    if (all.some(({ body }) => UNCOUNTABLE.test(body))) return UNKNOWN
    const leaves = pagesOf(objects, all)
    let pages = Math.max(leaves.length, all.filter(({ body }) => IS_PAGE.test(body)).length)
    for (const { body } of all) {
      if (!/\/Kids\b/.test(body)) continue
      for (const [, count] of body.matchAll(/\/Count\s+(\d+)/g)) pages = Math.max(pages, Number(count))
    }
    return { pages, text_tokens: textOf(objects, all, leaves, budget) }
  } catch (thrown) {
    if (thrown instanceof Unreadable) return UNKNOWN
    throw thrown
  }
}

/** Encrypted; a tree of pages that is no object of its own. */
const UNCOUNTABLE = /\/Encrypt\b|(?<!\/Type\s{0,9})\/Pages\b(?!\s+\d+\s+\d+\s+R\b)/
const IS_PAGE = /\/Type\s*\/Page\b(?!s)/
const REFERENCE = /(\d+)\s+\d+\s+R\b/g
const refsIn = (text: string): number[] => [...text.matchAll(REFERENCE)].map(([, number]) => Number(number))

/** The leaves of every tree of pages. @throws Unreadable where there is none, or where a node is in it twice */
function pagesOf(objects: PdfObjects, all: readonly PdfObject[]): PdfObject[] {
  const roots = all.flatMap(({ body }) => refsIn((body.match(/\/Pages\s+\d+\s+\d+\s+R\b/g) ?? []).join(' ')))
  const waiting = [...new Set(roots)]
  if (waiting.length === 0) throw new Unreadable()
  /** By which node each was found. */
  const parents = new Map<number, number>(waiting.map((root) => [root, root]))
  const leaves: PdfObject[] = []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const object of objects.get(node) ?? []) {
      const kids = listsIn(objects, object.body, 'Kids')
      if (kids === undefined) {
        if (!/^\s*<</.test(object.body)) throw new Unreadable()
        leaves.push(object)
        continue
      }
      if (new Set(kids).size < kids.length) throw new Unreadable()
      for (const kid of kids) {
        const parent = parents.get(kid)
        // An update of a file repeats a node with nearly the same children.
        if (parent === node) continue
        if (parent !== undefined) throw new Unreadable()
        parents.set(kid, node)
        waiting.push(kid)
      }
    }
  }
  return leaves
}

/** The references of a field, which may stand in an array of their own. @returns undefined without the field */
function listsIn(objects: PdfObjects, body: string, field: 'Kids' | 'Contents'): number[] | undefined {
  const found = [...body.matchAll(LISTS[field])]
  if (found.length === 0) return undefined
  return found.flatMap(([, value = '']) => {
    const refs = onlyRefs(value)
    return refs.flatMap((ref) => {
      const targets = objects.get(ref) ?? []
      const arrays = targets.filter(({ body: target, data }) => !data && /^\s*\[/.test(target))
      if (arrays.length === 0) return [ref]
      const inner = arrays.flatMap(({ body: target }) => onlyRefs(target))
      if (inner.some((one) => isArray(objects, one))) throw new Unreadable()
      return inner
    })
  })
}

const LISTS = {
  Kids: /\/Kids\b\s*(\[[^[\]]*\]|\d+\s+\d+\s+R\b|)/g,
  Contents: /\/Contents\b\s*(\[[^[\]]*\]|\d+\s+\d+\s+R\b|)/g,
}

/** Far more than a document has pages. */
const MAX_LIST_CHARS = 1_000_000

/** @throws Unreadable for objects that stand there themselves */
function onlyRefs(value: string): number[] {
  if (value.length > MAX_LIST_CHARS) throw new Unreadable()
  if (!/^\s*(?:\[[\s\dR]*\]|\d+\s+\d+\s+R)\s*$/.test(value)) throw new Unreadable()
  return refsIn(value)
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
    let calls = all.reduce(
      (sum, { body }) => sum + (body.match(/\/AP\b|\/S\s*\/(?:Luminosity|Alpha)\b/g)?.length ?? 0),
      0,
    )
    for (const [number, times] of uses) {
      const drawn = most(objects.get(number) ?? [], budget)
      text_bytes += times * drawn.text_bytes
      calls += times * drawn.calls
    }
    text_bytes += formsBytes(all, calls, budget)
    const tokens = text_bytes * perByte(objects, all, budget)
    return tokens <= MAX_DRAWN ? Math.ceil(tokens) : undefined
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
    .filter(({ body, data }) => data && /\/Subtype\s*\/Form\b|\/BBox\b/.test(body))
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
  let tokens = MIN_TOKENS_PER_BYTE
  for (const { body } of all) tokens = Math.max(tokens, tokensOfGlyphs(body))
  /** The least bytes of a character by each table, in any font that has it. */
  const cmaps = new Map<number, number>()
  const waiting: [number, number][] = all.flatMap(({ body }) =>
    refsTo('ToUnicode', body).map((ref): [number, number] => [
      ref,
      /\/Encoding\s*\/Identity-[HV]\b/.test(body) ? 2 : 1,
    ]),
  )
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [number, bytes] = next
    if ((cmaps.get(number) ?? 3) <= bytes) continue
    cmaps.set(number, bytes)
    for (const cmap of objects.get(number) ?? [])
      for (const ref of refsTo('UseCMap', cmap.body)) waiting.push([ref, bytes])
  }
  for (const [number, bytes] of cmaps)
    for (const cmap of objects.get(number) ?? [])
      if (cmap.data) tokens = Math.max(tokens, tokensPerByte(decoded(cmap, budget).toString('latin1'), bytes))
  return tokens
}

const refsTo = (field: 'ToUnicode' | 'UseCMap', body: string): number[] =>
  refsIn(
    (
      body.match(field === 'ToUnicode' ? /\/ToUnicode\s+\d+\s+\d+\s+R\b/g : /\/UseCMap\s+\d+\s+\d+\s+R\b/g) ??
      []
    ).join(' '),
  )
