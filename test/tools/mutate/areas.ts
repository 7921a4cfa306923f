// The areas of the sources that may be broken, and the tests nearest to each.

/** Folders of sources with the tests to run first; the area of a file is the longest folder that matches. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  'src/access/': ['test/access'],
  'src/calls/': ['test/calls', 'test/native'],
  'src/calls/kinds/embedding/': ['test/embeddings'],
  'src/calls/hooks/': ['test/custom-plugins', 'test/calls'],
  'src/calls/kinds/image/': ['test/images'],
  'src/calls/pictures/': ['test/pictures'],
  'src/calls/responses/': ['test/responses', 'test/kept-responses'],
  'src/calls/kinds/text/': ['test/native', 'test/chat', 'test/messages'],
  'src/calls/kinds/units/': ['test/audio', 'test/moderations', 'test/rerank'],
  'src/idempotency/': ['test/idempotency'],
  'src/money/ledger/': ['test/money/ledger'],
  'src/library/': ['test/library', 'test/upload'],
  'src/money/pricing/': ['test/money/pricing'],
  'src/upstream/': ['test/upstream'],
}

export const AREA_NAMES: readonly string[] = Object.keys(AREAS)

/** @returns the test folders of a source file's area */
export function testsOf(file: string): readonly string[] {
  const area = AREA_NAMES.filter((folder) => file.startsWith(folder)).sort((a, b) => b.length - a.length)[0]
  if (area === undefined) throw new Error(`${file} is in no area.`)
  return AREAS[area] ?? []
}
