// References to the specification: each names a heading that exists, and quotes words that stand there.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const FILES = [...new Glob('{src,plugins,test}/**/*.{ts,tsx,sql}').scanSync(ROOT)]
  .filter((file) => !file.startsWith('test/specification/'))
  .sort()

const FIRST_LINES: Readonly<Record<string, string>> = {
  'spec.md': '# Model Gateway Service: Text Generation and Image Interface Specification',
  'silent.md': '# Where the specification is silent, or says two things',
}

const documentOf = (name: string): string => readFileSync(join(import.meta.dir, name), 'utf8')

/** A text as its words: without punctuation, line ends and the lines of tables. */
const wordsOf = (text: string): string =>
  ` ${
    text
      .toLowerCase()
      .match(/[a-z0-9_{}$]+/g)
      ?.join(' ') ?? ''
  } `

/** A heading, and how it may be shortened: before a parenthesis, or at a comma. */
function namesOf(heading: string): string[] {
  const bare = heading.replace(/ \(.*$/, '')
  const parts = bare.split(', ')
  const shortened = parts.map((_, index) => parts.slice(0, index + 1).join(', '))
  return [heading, ...shortened]
}

const DOCUMENTS = Object.fromEntries(
  Object.keys(FIRST_LINES).map((name) => {
    const text = documentOf(name)
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].flatMap(([, heading = '']) => namesOf(heading))
    return [name, { words: wordsOf(text), headings }]
  }),
)

interface Reference {
  file: string
  document: string
  /** The text after the document's name, up to the end of the sentence or comment. */
  text: string
}

/** A mention of a document, and 300 characters after it; comments of several lines are read as one. */
function referencesIn(file: string): Reference[] {
  const source = readFileSync(join(ROOT, file), 'utf8').replace(/\n\s*(?:\/\/|\*(?!\/))\s?/g, ' ')
  return [...source.matchAll(/\b(spec|silent)\.md(?=(.{0,300}))/g)].map(([, name, text = '']) => ({
    file,
    document: `${name}.md`,
    text,
  }))
}

/** The fault of a reference. */
function complaintOf({ document, text }: Reference): string | undefined {
  const { words = '', headings = [] } = DOCUMENTS[document] ?? {}
  if (!text.startsWith(', ')) return 'names no heading'
  // The heading may stand in quotes.
  const named = text.slice(2).replace(/^"([^"]*)"/, '$1')
  const heading = headings.find((name) => named.startsWith(name) && !/^\w/.test(named.slice(name.length)))
  if (heading === undefined) return 'names a heading that does not exist'
  const quoted = /^[^"]{0,3}"([^"]+)"/.exec(named.slice(heading.length))?.[1]
  const missing = quoted?.split('…').find((part) => !words.includes(wordsOf(part)))
  return missing === undefined ? undefined : `quotes words that are not there: ${missing}`
}

describe('the documents', () => {
  test.each(Object.entries(FIRST_LINES))('%s begins with its title', (name, first_line) => {
    expect(documentOf(name).split('\n')[0]).toBe(first_line)
  })
})

describe('references', () => {
  const references = FILES.flatMap(referencesIn)

  test('are found', () => {
    expect(references.length).toBeGreaterThan(60)
  })

  test('name a heading that exists, and quote words that stand there', () => {
    const complaints = references.flatMap((reference) => {
      const complaint = complaintOf(reference)
      return complaint
        ? [`${reference.file}: ${reference.document}${reference.text.slice(0, 80)}: ${complaint}`]
        : []
    })
    expect(complaints).toEqual([])
  })

  test.each([
    ['spec.md', ', Limits: compose, 100 MB'],
    ['spec.md', ', Image edit request, rule 1'],
    ['silent.md', ', Chat completions: "`/v1/embeddings`: OpenAI\'s shape"'],
    ['spec.md', ', Limits: "Request body size 30 MB, native generation endpoints"'],
  ])('%s%s is a reference', (document, text) => {
    expect(complaintOf({ file: '', document, text })).toBeUndefined()
  })

  test.each([
    ['spec.md', ': the limits', /names no heading/],
    ['spec.md', ', Limitations', /does not exist/],
    ['silent.md', ', Limits', /does not exist/],
    ['spec.md', ', Limits: "Request body size 31 MB"', /not there/],
  ])('%s%s is no reference', (document, text, complaint) => {
    expect(complaintOf({ file: '', document, text })).toMatch(complaint)
  })
})
