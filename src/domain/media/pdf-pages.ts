// The page tree of a PDF, and its references. ISO 32000-1, sections 7.3.10 (references) and 7.7.3 (page tree)
import type { PdfParts } from './pdf-objects.ts'
import type { PdfObject } from './pdf-streams.ts'
import { type MediaWork, Unreadable } from './work.ts'

/** A document after its objects were read. */
export interface PdfDocument extends PdfParts {
  readonly work: MediaWork
  /** A cache by number: the references of an array; undefined if the object is no array. */
  readonly arrays: Map<number, readonly number[] | undefined>
  /** A cache by number: whether the object is an array. */
  readonly are_arrays: Map<number, boolean>
}

export const documentOf = (parts: PdfParts, work: MediaWork): PdfDocument => ({
  ...parts,
  work,
  arrays: new Map(),
  are_arrays: new Map(),
})

/** A reference after the name of its field. Longer numbers do not occur. */
const REFERENCE = String.raw`\s+(\d{1,10})\s+\d{1,5}\s+R\b`
const referenceTo = (name: string): RegExp => new RegExp(`/${name}${REFERENCE}`, 'g')
const REFERENCES = {
  Pages: referenceTo('Pages'),
  ToUnicode: referenceTo('ToUnicode'),
  UseCMap: referenceTo('UseCMap'),
}

/** Returns the object numbers that a field refers to, at any depth of an object. */
export function refsTo(field: keyof typeof REFERENCES, body: string, work: MediaWork): number[] {
  const refs: number[] = []
  for (const [, number] of body.matchAll(REFERENCES[field])) {
    work.spend(REF_STEPS)
    refs.push(Number(number))
  }
  return refs
}

/** The work to find a reference, to look it up and to keep it. */
const REF_STEPS = 500

/** A page tree that is an inline object, or has a reference in an unusual form. */
const NO_REFERENCE = new RegExp(`(?<!/Type\\s{0,9})/Pages\\b(?!${REFERENCE})`)
export const hasOtherTree = (body: string): boolean => NO_REFERENCE.test(body)

/** Returns the leaves of every page tree. @throws Unreadable if there is no tree, or a node is in it twice */
export function leavesOf(document: PdfDocument): PdfObject[] {
  const { objects, all, work } = document
  const waiting = [...new Set(all.flatMap(({ body }) => refsTo('Pages', body, work)))]
  if (waiting.length === 0) throw new Unreadable()
  /** The parent of each node. */
  const parents = new Map<number, number>(waiting.map((root) => [root, root]))
  const leaves: PdfObject[] = []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const object of objects.get(node) ?? []) {
      const kids = refsIn('Kids', object.body, work)?.flatMap((ref) => targetsOf(document, ref))
      if (kids === undefined) {
        if (!/^\s*<</.test(object.body)) throw new Unreadable()
        leaves.push(object)
        continue
      }
      if (new Set(kids).size < kids.length) throw new Unreadable()
      for (const kid of kids) {
        const parent = parents.get(kid)
        // An incremental update repeats a node with nearly the same children.
        if (parent === node) continue
        if (parent !== undefined) throw new Unreadable()
        parents.set(kid, node)
        waiting.push(kid)
      }
    }
  }
  return leaves
}

const LISTS = {
  Kids: /\/Kids\b\s*(\[[^[\]]*\]|\d+\s+\d+\s+R\b|)/g,
  Contents: /\/Contents\b\s*(\[[^[\]]*\]|\d+\s+\d+\s+R\b|)/g,
}

/** Returns the references of a field, some of which may point to arrays of references. @returns undefined without the field @throws Unreadable */
export function refsIn(field: 'Kids' | 'Contents', body: string, work: MediaWork): number[] | undefined {
  let refs: number[] | undefined
  for (const [, value = ''] of body.matchAll(LISTS[field])) {
    work.spend(REF_STEPS)
    refs ??= []
    for (const ref of onlyRefs(value, work)) refs.push(ref)
  }
  return refs
}

/** Returns the target of a reference, or all targets of an array. @throws Unreadable for nested arrays */
export function targetsOf(document: PdfDocument, ref: number): readonly number[] {
  const array = arrayAt(document, ref)
  if (!array) return [ref]
  document.work.spend(array.length * REF_STEPS)
  return array
}

function arrayAt(document: PdfDocument, ref: number): readonly number[] | undefined {
  const { objects, arrays, work } = document
  if (arrays.has(ref)) return arrays.get(ref)
  const found = hasArray(document, ref) ? (objects.get(ref) ?? []).filter(isArray) : undefined
  const refs = found?.flatMap(({ body }) => onlyRefs(body, work))
  if (refs?.some((inner) => hasArray(document, inner))) throw new Unreadable()
  arrays.set(ref, refs)
  return refs
}

function hasArray({ objects, are_arrays }: PdfDocument, number: number): boolean {
  const known = are_arrays.get(number)
  if (known !== undefined) return known
  const found = (objects.get(number) ?? []).some(isArray)
  are_arrays.set(number, found)
  return found
}

const isArray = ({ body, data }: PdfObject): boolean => !data && /^\s*\[/.test(body)

/** Parses a reference, or a list of references in brackets. @throws Unreadable for inline objects */
function onlyRefs(value: string, work: MediaWork): number[] {
  const list = value.trim()
  const inner = list.startsWith('[') && list.endsWith(']') ? list.slice(1, -1) : list
  const words = inner.match(/\S+/g) ?? []
  if (list === '') throw new Unreadable()
  work.spend((words.length / 3) * REF_STEPS)
  const refs: number[] = []
  for (let at = 0; at < words.length; at += 3) {
    const [number = '', generation = '', sign] = words.slice(at, at + 3)
    if (sign !== 'R' || !/^\d{1,10}$/.test(number) || !/^\d{1,5}$/.test(generation)) throw new Unreadable()
    refs.push(Number(number))
  }
  return refs
}
