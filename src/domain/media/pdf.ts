// The size of a PDF: its number of pages, and the maximum tokens of its text.
// ISO 32000-1, sections 7.7.3 (page tree), 7.8.2 (content streams) and 8.10 (form XObjects)
import { tokensPerByte } from './pdf-fonts.ts'
import { readObjects } from './pdf-objects.ts'
import { documentOf, hasOtherTree, leavesOf, type PdfDocument, refsIn, targetsOf } from './pdf-pages.ts'
import { type Budget, budgetOf, decoded, type PdfObject } from './pdf-streams.ts'
import { readStreamText, type StreamText } from './pdf-text.ts'
import { type MediaWork, Unreadable } from './work.ts'

export interface PdfSize {
  /** Undefined if they cannot be counted, as in an encrypted document. */
  pages: number | undefined
  /** The maximum tokens of all its text; undefined if there is no bound, as for content streams that draw each other recursively. */
  text_tokens: number | undefined
}

const UNKNOWN: PdfSize = { pages: undefined, text_tokens: undefined }
/** More than any provider accepts. */
const MAX_PAGES = 50_000

/**
 * Measures a PDF without rendering it. At most sixteen times its bytes are inflated.
 * @param work the budget of all documents of a request
 * @returns the maximum that any reader can find in it
 */
export function measurePdf(bytes: Buffer, work: MediaWork): PdfSize {
  work.add(bytes.length)
  const budget = budgetOf(bytes, work)
  try {
    const document = documentOf(readObjects(bytes, budget), work)
    const leaves = leavesOf(document)
    const pages = Math.max(leaves.length, pagesIn(document))
    return pages > MAX_PAGES ? UNKNOWN : { pages, text_tokens: textOf(document, leaves, budget) }
  } catch (thrown) {
    if (thrown instanceof Unreadable) return UNKNOWN
    throw thrown
  }
}

const COUNT_STEPS = 500

/** The number of pages by object types and stated counts. @throws Unreadable if it is encrypted, or its page tree is unusual */
function pagesIn({ all, work }: PdfDocument): number {
  let pages = 0
  let counted = 0
  for (const { body } of all) {
    if (/\/Encrypt\b/.test(body) || hasOtherTree(body)) throw new Unreadable()
    if (/\/Type\s*\/Page\b(?!s)/.test(body)) pages++
    if (!/\/Kids\b/.test(body)) continue
    for (const [, count] of body.matchAll(/\/Count\s+(\d+)/g)) {
      work.spend(COUNT_STEPS)
      counted = Math.max(counted, Number(count))
    }
  }
  return Math.max(pages, counted)
}

/** Streams that draw each other several times multiply a text exponentially. */
const MAX_TEXT_COUNT = 1_000_000_000

function textOf(document: PdfDocument, leaves: readonly PdfObject[], budget: Budget): number | undefined {
  const { objects, all, work } = document
  // A replacement text may be used by any number of marked parts.
  if (all.some(({ body }) => /\/ActualText\b/.test(body))) return undefined
  try {
    const uses = usesOf(document, leaves)
    let text_bytes = 0
    let calls = 0
    for (const { body } of all) calls += markedCalls(body, work)
    for (const [number, times] of uses) {
      const stream_text = most(objects.get(number) ?? [], budget)
      text_bytes += times * stream_text.text_bytes
      calls += times * stream_text.calls
    }
    text_bytes += formsBytes(all, calls, budget)
    const tokens = text_bytes * tokensPerByte(document, budget)
    return tokens <= MAX_TEXT_COUNT ? Math.ceil(tokens) : undefined
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined
    throw thrown
  }
}

/** Counts the uses of each stream as page content. @throws Unreadable */
function usesOf(document: PdfDocument, leaves: readonly PdfObject[]): ReadonlyMap<number, number> {
  const refs = new Map<number, number>()
  for (const { body } of leaves)
    for (const ref of refsIn('Contents', body, document.work) ?? []) refs.set(ref, (refs.get(ref) ?? 0) + 1)
  const uses = new Map<number, number>()
  // Arrays are resolved once, since all pages may share one.
  for (const [ref, times] of refs)
    for (const target of targetsOf(document, ref)) uses.set(target, (uses.get(target) ?? 0) + times)
  return uses
}

const CALL_STEPS = 200

/** Counts streams that are drawn without an operator: appearances and masks. @throws Unreadable */
function markedCalls(body: string, work: MediaWork): number {
  let calls = 0
  for (const _ of body.matchAll(/\/AP\b|\/S\s*\/(?:Luminosity|Alpha)\b/g)) {
    work.spend(CALL_STEPS)
    calls++
  }
  return calls
}

/** The maximum over several streams, such as the versions of one in an updated file. */
function most(versions: readonly PdfObject[], budget: Budget): StreamText {
  let text_bytes = 0
  let calls = 0
  for (const version of versions) {
    if (!version.data) throw new Unreadable()
    const stream_text = readStreamText(decoded(version, budget), budget.work)
    text_bytes = Math.max(text_bytes, stream_text.text_bytes)
    calls = Math.max(calls, stream_text.calls)
  }
  return { text_bytes, calls }
}

/** The maximum text of forms: each call is assumed to draw the longest one, which draws further forms in turn. */
function formsBytes(all: readonly PdfObject[], calls: number, budget: Budget): number {
  if (calls === 0) return 0
  const forms = all.filter(({ body, data }) => data && /\/Subtype\s*\/Form\b|\/BBox\b/.test(body))
  const { text_bytes, calls: inner } = most(forms, budget)
  if (text_bytes === 0) return 0
  let drawings = calls
  let level = calls
  for (let depth = 0; depth < forms.length && level > 0; depth++) {
    level *= inner
    drawings += level
    if (drawings > MAX_TEXT_COUNT) throw new Unreadable()
  }
  return drawings * text_bytes
}
